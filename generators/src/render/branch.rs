//! Where records branch from, and which records they supersede.

use crate::form::BranchForm;
use crate::operand::{Operand, Ref};
use crate::render::Renderer;
use crate::render::line::quote;
use crate::render::session::{Branch, Named, Place};

/// How many targets a rewrite tries until one is found that it may move to.
const TRIES: u8 = 8;

impl Renderer {
    /// What a ref on the present record names.
    pub(super) fn target(&self, at: Ref, not: Place, own: Option<&str>) -> Option<Named> {
        self.session.name(at, not, self.line, own)
    }

    /// What the present record is marked to supersede.
    pub(super) fn superseded(&self, own: Option<&str>) -> Option<Named> {
        self.target(self.marks.supersede?, Place::Unknown, own)
    }

    /// The branchesFrom that a form and a ref make, unless it would be one too many.
    pub(super) fn branch(
        &self,
        form: BranchForm,
        at: Ref,
        implicit: Place,
        own: Option<&str>,
    ) -> Option<Branch> {
        let record = |not| {
            let target = self.target(at, not, own)?;
            let place = if target.text == "null" { Place::Start } else { target.place() };
            Some((target.text, place))
        };
        let any = || record(Place::Unknown).unwrap_or_else(|| (quote("zz"), Place::Unknown));
        let (text, place) = match form {
            BranchForm::Record => {
                let (text, place) = record(implicit)?;
                (format!("{{\"record\":{text}}}"), place)
            }
            BranchForm::Start if implicit == Place::Start => return None,
            BranchForm::Start | BranchForm::ForcedStart => ("{\"record\":null}".into(), Place::Start),
            BranchForm::Unknown => ("{\"state\":\"unknown\"}".into(), Place::Unknown),
            BranchForm::Forced => {
                let (text, place) = any();
                (format!("{{\"record\":{text}}}"), place)
            }
            BranchForm::Empty => ("{}".into(), Place::Unknown),
            BranchForm::Null => ("null".into(), implicit),
            BranchForm::Text => (any().0, Place::Unknown),
            BranchForm::List => ("[]".into(), Place::Unknown),
            BranchForm::OtherState => ("{\"state\":\"lost\"}".into(), Place::Unknown),
            BranchForm::NumberState => ("{\"state\":5}".into(), Place::Unknown),
            BranchForm::Both => {
                let (text, place) = any();
                (format!("{{\"record\":{text},\"state\":\"unknown\"}}"), place)
            }
            BranchForm::NullAndState => ("{\"state\":\"unknown\",\"record\":null}".into(), Place::Start),
        };
        Some(Branch { text, place })
    }

    /// The branchesFrom of a record that should have none: only an odd mark makes one.
    pub(super) fn odd_branch(&self, own: Option<&str>) -> Option<Branch> {
        let (form, at) = self.marks.branch.filter(|&(form, at)| is_odd(form, at))?;
        self.branch(form, at, Place::Unknown, own)
    }

    /// The branchesFrom of a marked rewrite: what a mark asks for, or else `otherwise`, or else, if either
    /// would break a rule, the one in force.
    pub(super) fn rewritten(
        &self,
        index: usize,
        otherwise: Option<Branch>,
        own: Option<&str>,
    ) -> Option<Branch> {
        let node = self.session.nodes.get(index)?;
        let may_follow = |place| place == node.place || self.session.may_move(index, place);
        if let Some((form, at)) = self.marks.branch {
            if is_odd(form, at) {
                return self.branch(form, at, node.implicit, own);
            }
            for n in 0..TRIES {
                let at = Ref { n: at.n.wrapping_add(n), ..at };
                let branch = self.branch(form, at, node.implicit, own);
                if let Some(branch) = branch.filter(|branch| may_follow(branch.place)) {
                    return Some(branch);
                }
            }
        }
        let place = otherwise.as_ref().map_or(node.implicit, |branch| branch.place);
        if may_follow(place) { otherwise } else { node.branch.clone() }
    }
}

/// Whether a mark to branch may break a rule.
fn is_odd(form: BranchForm, at: Ref) -> bool {
    form.rank() >= form.sound() || at.to.rank() >= at.to.sound()
}
