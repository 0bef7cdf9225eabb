//! The mechanical-sibling rule (ASR-361): where the records of a tree-stored session branch.
//!
//! The rule walks from the tip back to the parent of every unit. Done as written that is quadratic on a
//! session with many parallel calls, so each node carries what answers the rule's two questions without a
//! walk:
//!
//! * *Is p on the current path?* A jump pointer besides the predecessor finds the ancestor of any depth in
//!   O(log n) steps.
//! * *Is the segment after p mechanical?* Call a node *bare* if it is neither injected nor a failed attempt:
//!   only bare nodes need a response key, and it must be one of two. So each node knows the nearest bare node
//!   up to itself, and each bare node the nearest one with another key, and the nearest one with a third.
//!   Three comparisons of depths decide.
//!
//! Nodes are added at the tips of paths, where all of this extends in O(1). A marked rewrite can bend a path
//! in its middle, and a revision can change what a node is; after that the table is made anew when it is next
//! asked.
//!
//! Decisions beyond the text are those of `readings.md` 0.5. Revisions stand aside: they are not placed, do
//! not move the tip, and children attach to their node.

#![expect(
    clippy::indexing_slicing,
    reason = "natives, records and nodes are numbers that these tables handed out"
)]

use crate::steps::{Steps, Told};
use asr_spec::native::{Mapping, NativeRecord, Placement};
use asr_spec::record::{Body, BranchesFrom, Record};
use asr_spec::{Step, Trace};
use std::collections::HashMap;

/// Decides branchesFrom for every record of every unit, in observation order.
///
/// O(n log n) for n records, and O(n) more for each revision that moves a node or changes what the rule reads
/// of it, and for each call that comes after its result.
pub fn place(records: &[NativeRecord]) -> Vec<Placement> {
    place_told(records, &mut ())
}

/// As [`place`]; `trace` receives the steps, each about a native record, counted from 1. O(n) more for each
/// displaced segment, whose nodes are told one by one.
pub fn place_traced(records: &[NativeRecord], trace: &mut impl Trace) -> Vec<Placement> {
    place_told(records, &mut Told(trace))
}

fn place_told(records: &[NativeRecord], steps: &mut impl Steps) -> Vec<Placement> {
    let mut converter = Converter::new(records);
    for native in 0..records.len() {
        converter.process(native, steps);
    }
    converter.placements
}

/// A node, by the order of first records.
type Node = usize;

/// Where a path goes on, or where it ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Start,
    Unknown,
    Node(Node),
}

/// Where the children of a native record attach (step 1), before it is known whether that unit is placed.
#[derive(Clone, Copy, Debug)]
enum Parent {
    /// There is none.
    Empty,
    /// It cannot be found, or the search for it goes round.
    Lost,
    /// The unit of this native record.
    Unit(usize),
}

/// The attachment point of a unit.
#[derive(Clone, Copy)]
struct Attachment<'r> {
    id: &'r str,
    node: Node,
}

/// A record of a unit: the number of its native record, and its number among the records of that.
type Numbers = (usize, usize);

/// The one record that bears an id.
enum Bearer {
    One(Numbers),
    Several,
}

/// The response key of a node, interned.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Key {
    None,
    Own(u32),
    /// That of the call with this interned callId.
    OfCall(u32),
}

/// What the rule reads of the content of a node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Content {
    /// Why the node is mechanical whatever its key (M2, M3); none if it is bare.
    excuse: Option<Step>,
    key: Key,
}

impl Content {
    fn is_bare(self) -> bool {
        self.excuse.is_none()
    }
}

#[derive(Clone, Copy, Default)]
struct Call {
    /// The first call that has the callId.
    node: Option<Node>,
    has_results: bool,
}

struct Converter<'r> {
    records: &'r [NativeRecord],
    natives: HashMap<&'r str, usize>,
    parents: Vec<Parent>,
    bearers: HashMap<&'r str, Bearer>,
    keys: HashMap<&'r str, u32>,
    call_numbers: HashMap<&'r str, u32>,
    calls: Vec<Call>,

    // One element per native record.
    attachments: Vec<Option<Attachment<'r>>>,
    placements: Vec<Placement>,
    /// One element per record of the unit, as far as processed.
    node_of: Vec<Vec<Option<Node>>>,

    tip: Place,
    // One element per node.
    /// What the scan of the chapter finds, whatever branchesFrom says.
    implicit: Vec<Place>,
    /// The branchesFrom that counts for the chain.
    in_force: Vec<Option<BranchesFrom>>,
    tree: Tree,
}

impl<'r> Converter<'r> {
    fn new(records: &'r [NativeRecord]) -> Self {
        let (mut natives, mut bearers) = (HashMap::new(), HashMap::new());
        for (native, record) in records.iter().enumerate() {
            if let Some(id) = &record.id {
                natives.entry(&**id).or_insert(native);
            }
            for (number, record) in unit(record).iter().enumerate() {
                bearers
                    .entry(&*record.id)
                    .and_modify(|bearer| *bearer = Bearer::Several)
                    .or_insert(Bearer::One((native, number)));
            }
        }
        Self {
            records,
            parents: parents(records, &natives),
            natives,
            bearers,
            keys: HashMap::new(),
            call_numbers: HashMap::new(),
            calls: Vec::new(),
            attachments: vec![None; records.len()],
            placements: Vec::with_capacity(records.len()),
            node_of: Vec::with_capacity(records.len()),
            tip: Place::Start,
            implicit: Vec::new(),
            in_force: Vec::new(),
            tree: Tree::default(),
        }
    }

    /// Steps 1 to 7 for one native record.
    fn process(&mut self, native: usize, steps: &mut impl Steps) {
        self.placements.push(Vec::new());
        self.node_of.push(Vec::new());
        if let Mapping::Rewind(target) = &self.records[native].mapping {
            let parent = target.as_ref().map_or(Parent::Empty, |name| self.named(name));
            // A rewind whose target cannot be found is none.
            if let Ok(point) = self.attachment(parent) {
                self.tip = point.map_or(Place::Start, |point| Place::Node(point.node));
            }
            return;
        }
        let records = unit(&self.records[native]);
        let first = records.iter().position(is_context);
        let mut attachment: Option<Attachment<'r>> = None;
        let mut has_new = false;
        for (number, record) in records.iter().enumerate() {
            let id = &*record.id;
            let superseded = self.superseded(record);
            let (node, placement) = if !is_context(record) {
                (None, None)
            } else if let Some((other, node)) = superseded {
                if !has_new {
                    attachment = Some(Attachment { id, node });
                }
                (Some(node), self.revise(native, record, other, node, first == Some(number)))
            } else {
                // Only the first record is subject to the rule; the others follow it.
                let (before, placement) =
                    if has_new { (self.tip, None) } else { self.decide(native, record, steps) };
                let node = self.add(record, before, placement.clone());
                has_new = true;
                attachment = Some(Attachment { id, node });
                (Some(node), placement)
            };
            self.node_of[native].push(node);
            self.placements[native].push(placement);
        }
        self.attachments[native] = attachment;
        if has_new {
            steps.tell(Step::Ms7, || (number(native), 0));
        }
    }

    /// Steps 1 to 6 for the first new record of a unit: its predecessor, and what to write.
    fn decide<S: Steps>(
        &mut self,
        native: usize,
        record: &'r Record,
        steps: &mut S,
    ) -> (Place, Option<BranchesFrom>) {
        let mut tell = |step| steps.tell(step, || (number(native), 0));
        tell(Step::Ms1);
        let linear = (self.tip, None);
        let point = match self.attachment(self.parent_of(native)) {
            Ok(None) => {
                tell(Step::Ms2);
                let is_first = self.tip == Place::Start;
                return if is_first { linear } else { (Place::Start, Some(BranchesFrom::Start)) };
            }
            Err(NotPlaced) => {
                tell(Step::Ms3);
                return (Place::Unknown, Some(BranchesFrom::Unknown));
            }
            Ok(Some(point)) => point,
        };
        let branch = (Place::Node(point.node), Some(BranchesFrom::Record(point.id.to_owned())));
        let Place::Node(tip) = self.tip else {
            tell(Step::Ms5);
            return branch;
        };
        if tip == point.node {
            tell(Step::Ms4);
            return linear;
        }
        let content = self.content(record);
        let Self { tree, calls, .. } = self;
        let is_mechanical = if is_injected(record) {
            tree.is_on_path(point.node, tip, calls)
        } else {
            tree.is_mechanical(point.node, tip, content.key, calls)
        };
        if S::ARE_HEARD {
            if !tree.is_on_path(point.node, tip, calls) {
                tell(Step::Ms5);
            } else if !is_mechanical {
                tell(Step::Ms6);
            } else if !is_injected(record) {
                tree.reasons(point.node, tip).for_each(tell);
            }
        }
        if is_mechanical { linear } else { branch }
    }

    /// What to write on a record that revises `other`, a record of `node`.
    fn revise(
        &mut self,
        native: usize,
        record: &'r Record,
        other: Numbers,
        node: Node,
        is_first: bool,
    ) -> Option<BranchesFrom> {
        let content = self.content(record);
        self.note_call(record, node);
        self.tree.set_content(node, content);
        if !is_rewrite(record) {
            return self.placements[other.0][other.1].clone();
        }
        if !is_first {
            return self.in_force[node].clone();
        }
        let now = self.attachment(self.parent_of(native));
        let before = self.attachment(self.parent_of(other.0));
        let (place, placement) = match (now, before) {
            (Ok(Some(now)), Ok(Some(before))) if now.node == before.node => {
                return self.in_force[node].clone();
            }
            // An edge that leads back to the node would close a cycle.
            (Ok(Some(now)), _) if self.tree.is_on_path(node, now.node, &self.calls) => {
                (Place::Unknown, BranchesFrom::Unknown)
            }
            (Ok(Some(now)), _) => (Place::Node(now.node), BranchesFrom::Record(now.id.to_owned())),
            (Ok(None), _) => (Place::Start, BranchesFrom::Start),
            (Err(NotPlaced), _) => (Place::Unknown, BranchesFrom::Unknown),
        };
        // ASR-359: what the scan finds anyway is not written.
        let placement = (place != self.implicit[node]).then_some(placement);
        self.in_force[node].clone_from(&placement);
        self.tree.set_predecessor(node, place);
        placement
    }

    /// Starts a node, and moves the tip to it (step 7).
    fn add(&mut self, record: &'r Record, before: Place, placement: Option<BranchesFrom>) -> Node {
        let node = self.implicit.len();
        self.implicit.push(self.tip);
        self.in_force.push(placement);
        let content = self.content(record);
        self.note_call(record, node);
        self.tree.add(before, content, &self.calls);
        self.tip = Place::Node(node);
        node
    }

    /// The record that a record revises, and its node: one earlier record of the same type bears the id.
    fn superseded(&self, record: &Record) -> Option<(Numbers, Node)> {
        let Bearer::One(other) = *self.bearers.get(&**record.supersedes.as_ref()?)? else { return None };
        let node = (*self.node_of.get(other.0)?.get(other.1)?)?;
        let of_type = &unit(&self.records[other.0])[other.1].body;
        (std::mem::discriminant(of_type) == std::mem::discriminant(&record.body)).then_some((other, node))
    }

    /// The native parent of a native record (step 1).
    fn parent_of(&self, native: usize) -> Parent {
        match parent_name(&self.records[native]) {
            None => Parent::Empty,
            Some(name) => self.named(name),
        }
    }

    fn named(&self, name: &str) -> Parent {
        self.natives.get(name).map_or(Parent::Lost, |&native| self.parents[native])
    }

    /// The attachment point of a parent, none where there is no parent.
    fn attachment(&self, parent: Parent) -> Result<Option<Attachment<'r>>, NotPlaced> {
        match parent {
            Parent::Empty => Ok(None),
            Parent::Lost => Err(NotPlaced),
            // A unit that comes later, or is being placed, is no target for a ref yet (MS3-1, MS1-3).
            Parent::Unit(native) => self.attachments[native].map(Some).ok_or(NotPlaced),
        }
    }

    /// What the rule reads of a record.
    fn content(&mut self, record: &'r Record) -> Content {
        let mut own = |key: &'r Option<String>| match key {
            None => Key::None,
            Some(key) => Key::Own(intern(&mut self.keys, key)),
        };
        let key = match &record.body {
            Body::Message(message) => own(&message.response_key),
            Body::ToolCall(call) => own(&call.response_key),
            Body::ToolResult(result) => {
                let call = self.call_number(&result.call_id);
                self.calls[call as usize].has_results = true;
                Key::OfCall(call)
            }
            _ => Key::None,
        };
        let excuse = is_injected(record).then_some(Step::M2);
        Content { excuse: excuse.or(is_failed_attempt(record).then_some(Step::M3)), key }
    }

    fn call_number(&mut self, id: &'r str) -> u32 {
        let number = intern(&mut self.call_numbers, id);
        if number as usize == self.calls.len() {
            self.calls.push(Call::default());
        }
        number
    }

    /// Lets results pair with a call. Those that came before it get a key only now.
    fn note_call(&mut self, record: &'r Record, node: Node) {
        if let Body::ToolCall(call) = &record.body {
            let number = self.call_number(&call.call_id) as usize;
            let call = &mut self.calls[number];
            if call.node.is_none() {
                call.node = Some(node);
                self.tree.is_stale |= call.has_results;
            }
        }
    }
}

/// A native record, as traces call it.
fn number(native: usize) -> u64 {
    native as u64 + 1
}

/// The parent cannot be found, or its unit is not placed yet.
#[derive(Clone, Copy)]
struct NotPlaced;

fn intern<'r>(numbers: &mut HashMap<&'r str, u32>, text: &'r str) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(text).or_insert(next)
}

fn unit(record: &NativeRecord) -> &[Record] {
    match &record.mapping {
        Mapping::Unit(records) => records,
        Mapping::Nothing | Mapping::PartOf(_) | Mapping::Rewind(_) => &[],
    }
}

fn parent_name(record: &NativeRecord) -> Option<&str> {
    // The logical parent counts at every record met on the way (MS1-2).
    record.parent.as_deref().or(record.logical_parent.as_deref())
}

fn is_context(record: &Record) -> bool {
    match record.body {
        Body::Message(_) | Body::ToolCall(_) | Body::ToolResult(_) | Body::Compaction(_) => true,
        Body::Rewind(_) | Body::Gap(_) | Body::SessionInfo(_) | Body::Audit(_) => false,
    }
}

fn is_rewrite(record: &Record) -> bool {
    record.assembly.as_ref().is_some_and(|assembly| assembly.mode == "rewrite")
}

fn is_injected(record: &Record) -> bool {
    let Body::Message(message) = &record.body else { return false };
    matches!(message.author.as_deref(), Some("harness" | "hook"))
        || matches!(message.origin.as_deref(), Some("injected" | "memory" | "retrieval" | "notice"))
}

fn is_failed_attempt(record: &Record) -> bool {
    let Body::Message(message) = &record.body else { return false };
    message.role == "assistant" && matches!(message.status.as_deref(), Some("error" | "interrupted"))
}

/// Where the children of each native record attach: its own unit, or else where it hangs itself. O(n).
fn parents(records: &[NativeRecord], natives: &HashMap<&str, usize>) -> Vec<Parent> {
    enum State {
        Unseen,
        OnWay,
        Known(Parent),
    }
    let mut states: Vec<State> = records.iter().map(|_| State::Unseen).collect();
    let mut way = Vec::new();
    for start in 0..records.len() {
        let mut at = start;
        let parent = loop {
            match states[at] {
                State::Unseen => {}
                State::OnWay => break Parent::Lost,
                State::Known(parent) => break parent,
            }
            states[at] = State::OnWay;
            way.push(at);
            let record = &records[at];
            let next = match &record.mapping {
                Mapping::Unit(unit) if unit.iter().any(is_context) => break Parent::Unit(at),
                Mapping::PartOf(other) => Some(&**other),
                Mapping::Unit(_) | Mapping::Nothing | Mapping::Rewind(_) => parent_name(record),
            };
            let Some(name) = next else { break Parent::Empty };
            let Some(&native) = natives.get(name) else { break Parent::Lost };
            at = native;
        };
        for at in way.drain(..) {
            states[at] = State::Known(parent);
        }
    }
    let known = states.into_iter().map(|state| match state {
        State::Known(parent) => parent,
        State::Unseen | State::OnWay => Parent::Lost,
    });
    known.collect()
}

/// What answers the two questions about a node.
#[derive(Clone, Copy)]
struct Spot {
    /// How many nodes precede it on its path.
    depth: usize,
    /// Some ancestor, chosen so that any depth is reached in O(log n) steps.
    jump: Node,
    /// The nearest bare node up to this one.
    bare: Option<Node>,
    /// Of a bare node, the nearest bare ancestor that has another key, or none at all.
    other: Option<Node>,
    /// And the nearest whose key is neither that of `other` nor its own.
    third: Option<Node>,
}

/// Not made yet.
const BLANK: Spot = Spot { depth: 0, jump: 0, bare: None, other: None, third: None };

/// The nodes with their predecessors, and a table of [`Spot`]s that is remade when it no longer holds.
#[derive(Default)]
struct Tree {
    predecessors: Vec<Place>,
    contents: Vec<Content>,
    spots: Vec<Spot>,
    is_stale: bool,
}

impl Tree {
    fn add(&mut self, predecessor: Place, content: Content, calls: &[Call]) {
        self.predecessors.push(predecessor);
        self.contents.push(content);
        self.spots.push(BLANK);
        if !self.is_stale {
            let node = self.spots.len() - 1;
            self.spots[node] = self.spot(node, calls);
        }
    }

    fn set_content(&mut self, node: Node, content: Content) {
        self.is_stale |= self.contents[node] != content;
        self.contents[node] = content;
    }

    fn set_predecessor(&mut self, node: Node, predecessor: Place) {
        self.is_stale |= self.predecessors[node] != predecessor;
        self.predecessors[node] = predecessor;
    }

    /// Whether `node` is on the path that ends at `tip`. O(log n).
    fn is_on_path(&mut self, node: Node, tip: Node, calls: &[Call]) -> bool {
        self.refresh(calls);
        let depth = self.spots[node].depth;
        if depth > self.spots[tip].depth {
            return false;
        }
        let mut at = tip;
        while self.spots[at].depth > depth {
            let jump = self.spots[at].jump;
            at = match self.predecessors[at] {
                _ if self.spots[jump].depth >= depth => jump,
                Place::Node(before) => before,
                Place::Start | Place::Unknown => return false,
            };
        }
        at == node
    }

    /// Whether `node` is on the path that ends at `tip`, and every node after it is mechanical for a record
    /// that has the response key `own` and is not injected (M1 to M3). O(log n).
    fn is_mechanical(&mut self, node: Node, tip: Node, own: Key, calls: &[Call]) -> bool {
        if !self.is_on_path(node, tip, calls) {
            return false;
        }
        let allowed = [self.key(node, calls), resolve(own, &self.contents, calls)];
        let depth = self.spots[node].depth;
        let in_segment = |at: Option<Node>| at.filter(|&at| self.spots[at].depth > depth);
        let Some(bare) = in_segment(self.spots[tip].bare) else { return true };
        let other = in_segment(self.spots[bare].other);
        let third = in_segment(self.spots[bare].third);
        match other {
            None => self.is_passed(&[bare], allowed, calls),
            Some(other) => self.is_passed(&[bare, other], allowed, calls) && third.is_none(),
        }
    }

    /// Why the nodes after `node` up to `tip` are mechanical, once it is known that they are.
    fn reasons(&self, node: Node, tip: Node) -> impl Iterator<Item = Step> {
        let before = |&at: &Node| match self.predecessors[at] {
            Place::Node(before) => Some(before),
            Place::Start | Place::Unknown => None,
        };
        let segment = std::iter::successors(Some(tip), before).take_while(move |&at| at != node);
        segment.map(|at| self.contents[at].excuse.unwrap_or(Step::M1))
    }

    /// Whether all of these nodes are mechanical, given the keys of the parent and of the record to be
    /// placed.
    fn is_passed(&self, segment: &[Node], allowed: [Option<u32>; 2], calls: &[Call]) -> bool {
        segment.iter().all(|&at| {
            let key = self.key(at, calls);
            !self.contents[at].is_bare() || (key.is_some() && allowed.contains(&key))
        })
    }

    fn key(&self, node: Node, calls: &[Call]) -> Option<u32> {
        resolve(self.contents[node].key, &self.contents, calls)
    }

    /// Makes all spots anew if they no longer hold. O(nodes), since no edge ever closes a cycle.
    fn refresh(&mut self, calls: &[Call]) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let mut is_made = vec![false; self.spots.len()];
        let mut way = Vec::new();
        for start in 0..self.spots.len() {
            let mut at = start;
            while !std::mem::replace(&mut is_made[at], true) {
                way.push(at);
                match self.predecessors[at] {
                    Place::Node(before) => at = before,
                    Place::Start | Place::Unknown => break,
                }
            }
            while let Some(at) = way.pop() {
                self.spots[at] = self.spot(at, calls);
            }
        }
    }

    /// The spot of a node whose predecessor has one. O(1).
    fn spot(&self, node: Node, calls: &[Call]) -> Spot {
        let is_bare = self.contents[node].is_bare();
        let Place::Node(before) = self.predecessors[node] else {
            return Spot { jump: node, bare: is_bare.then_some(node), ..BLANK };
        };
        let spots = &self.spots;
        let Spot { depth, jump, bare: nearest, .. } = spots[before];
        // Jump over as much as the predecessor's last two jumps, if they are alike: a skew-binary counter.
        let (first, second) = (spots[jump].depth, spots[spots[jump].jump].depth);
        let jump = if depth - first == first - second { spots[jump].jump } else { before };
        let mut spot = Spot { depth: depth + 1, jump, bare: nearest, other: None, third: None };
        if is_bare {
            spot.bare = Some(node);
            if let Some(nearest) = nearest {
                let key = self.key(node, calls);
                let same = |at: Node| key.is_some() && self.key(at, calls) == key;
                let Spot { other, third, .. } = spots[nearest];
                (spot.other, spot.third) = if same(nearest) {
                    (other, third)
                } else if other.is_some_and(same) {
                    (Some(nearest), third)
                } else {
                    (Some(nearest), other)
                };
            }
        }
        spot
    }
}

/// The key itself. A result has that of its call, as far as the call is known.
fn resolve(key: Key, contents: &[Content], calls: &[Call]) -> Option<u32> {
    match key {
        Key::None => None,
        Key::Own(key) => Some(key),
        Key::OfCall(call) => match contents[calls[call as usize].node?].key {
            Key::Own(key) => Some(key),
            Key::None | Key::OfCall(_) => None,
        },
    }
}

#[cfg(test)]
mod tests;
