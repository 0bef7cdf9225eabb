//! Records that take part in the context: new nodes and revisions of them.

use crate::form::{Base, Change, Manner};
use crate::operand::Ref;
use crate::render::Renderer;
use crate::render::body::changed;
use crate::render::head::Head;
use crate::render::session::{Body, Named, Node, Place};

impl Renderer {
    /// Appends a node.
    pub(super) fn append(&mut self, body: Body, key: String) {
        let head = self.head();
        let superseded = self.superseded(head.own());
        self.append_as(head, superseded, body, key);
    }

    pub(super) fn append_as(&mut self, head: Head, superseded: Option<Named>, body: Body, key: String) {
        let implicit = self.session.tip;
        let branch = self.marks.branch.and_then(|(form, at)| self.branch(form, at, implicit, head.own()));
        let place = branch.as_ref().map_or(implicit, |branch| branch.place);
        let mut draft = head.begin(body);
        if let Some(superseded) = &superseded {
            draft.line.put("supersedes", superseded.text.clone());
        }
        if let Some(branch) = &branch {
            draft.line.put("branchesFrom", branch.text.clone());
        }
        self.body(&mut draft, body, &key, place);
        let record = self.finish(draft, branch.clone());

        // A mark may have made a revision of it.
        let revised = superseded
            .and_then(|named| named.target)
            .and_then(|(index, _)| Some((index, self.session.nodes.get_mut(index)?)))
            .filter(|(_, node)| node.body.type_name() == body.type_name());
        if let Some((index, node)) = revised {
            node.latest = record;
            node.key = key;
            node.body = body;
            self.session.revisions.push((record, index));
        } else {
            self.session.tip = Place::Node(self.session.nodes.len());
            self.session.nodes.push(Node {
                first: record,
                latest: record,
                place,
                branch,
                implicit,
                pinned: false,
                key,
                body,
            });
        }
    }

    /// Revises a node.
    pub(super) fn revise(&mut self, of: Ref, base: Base, change: Change, manner: Manner) {
        let head = self.head();
        let of = self.marks.supersede.unwrap_or(of);
        let named = self.target(of, Place::Unknown, head.own());
        let target = named.as_ref().and_then(|named| named.target);
        let Some((index, (node, record))) =
            target.and_then(|(index, record)| Some((index, (self.session.nodes.get(index)?, record))))
        else {
            let body = Body::Message(Default::default(), Default::default());
            return self.append_as(head, named, body, format!("m{}", self.line));
        };

        let base = match base {
            Base::First => node.first,
            Base::Latest if record == node.first => node.latest,
            Base::Latest => record,
        };
        let body = changed(node.body, change);
        let mut key = node.key.clone();
        if change == Change::OtherKey {
            key.push('x');
        }
        let supersedes = self.session.id(base);
        let repeated = self.session.records.get(base).and_then(|base| base.branch.clone());
        let (is_marked, branch) = match manner {
            Manner::Plain | Manner::Merge | Manner::AssemblyText | Manner::Capitals => {
                (false, self.odd_branch(head.own()).or(repeated))
            }
            Manner::Dropped => (false, self.odd_branch(head.own())),
            Manner::Rewrite => (true, self.rewritten(index, repeated, head.own())),
            Manner::Bare => (true, self.rewritten(index, None, head.own())),
        };
        let assembly = match manner {
            Manner::Plain | Manner::Dropped => None,
            Manner::Rewrite | Manner::Bare => Some(r#"{"mode":"rewrite","sourceIds":["x"]}"#),
            Manner::Merge => Some(r#"{"mode":"merge"}"#),
            Manner::AssemblyText => Some(r#""rewrite""#),
            Manner::Capitals => Some(r#"{"mode":"Rewrite"}"#),
        };

        if let Some(node) = self.session.nodes.get_mut(index) {
            if is_marked {
                node.place = branch.as_ref().map_or(node.implicit, |branch| branch.place);
                node.branch = branch.clone();
            }
            node.body = body;
            node.key.clone_from(&key);
        }
        let place = self.session.nodes.get(index).map_or(Place::Unknown, |node| node.place);

        let mut draft = head.begin(body);
        draft.line.put("supersedes", supersedes);
        if let Some(assembly) = assembly {
            draft.line.put("assembly", assembly);
        }
        if let Some(branch) = &branch {
            draft.line.put("branchesFrom", branch.text.clone());
        }
        self.body(&mut draft, body, &key, place);
        let record = self.finish(draft, branch);
        if let Some(node) = self.session.nodes.get_mut(index) {
            node.latest = record;
        }
        self.session.revisions.push((record, index));
    }
}
