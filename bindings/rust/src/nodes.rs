//! Views as trees, and as the nodes that C gives and takes.
//!
//! The nodes are a postfix expression, oldest first; a view is a list of trees, newest first. Both say the same.

use crate::error::Error;
use crate::ffi::{Node, FC_LEAF, FC_MERGED, FC_SPLIT, FC_WRITTEN};
use crate::tree::{Tree, View};

/// The nodes of a view. C checks them; here only what a node cannot hold is refused.
pub fn to_nodes(view: &[Tree]) -> Result<Vec<Node>, Error> {
    let trees: Vec<&Tree> = view.iter().flat_map(Tree::nodes).collect();
    let mut nodes: Vec<Node> = Vec::with_capacity(trees.len());
    for tree in trees.into_iter().rev() {
        let node = match tree {
            Tree::Leaf { weight } => Node {
                size: 1,
                weight: *weight,
                kind: FC_LEAF,
                span: 1,
            },
            Tree::Merged { size, weight } => Node {
                size: *size,
                weight: *weight,
                kind: FC_MERGED,
                span: 1,
            },
            Tree::Split(split) => {
                let (newer, older) = halves(&nodes).ok_or(Error::BadView)?;
                Node {
                    size: older.size.checked_add(newer.size).ok_or(Error::Overflow)?,
                    weight: split.line.unwrap_or(0),
                    kind: if split.line.is_some() { FC_WRITTEN } else { FC_SPLIT },
                    span: older
                        .span
                        .checked_add(newer.span)
                        .and_then(|span| span.checked_add(1))
                        .ok_or(Error::NoMemory)?,
                }
            }
        };
        nodes.push(node);
    }
    Ok(nodes)
}

/// The newer and the older half of a Split that comes right behind these nodes.
fn halves(nodes: &[Node]) -> Option<(&Node, &Node)> {
    let newer = nodes.last()?;
    let before = nodes.len().checked_sub(newer.span as usize)?;
    Some((newer, nodes.get(before.checked_sub(1)?)?))
}

/// The view that nodes of C make.
pub fn to_view(nodes: &[Node]) -> Result<View, Error> {
    let mut trees: View = Vec::new();
    for node in nodes {
        let tree = match node.kind {
            FC_LEAF => Tree::leaf(node.weight),
            FC_MERGED => Tree::merged(node.size, node.weight),
            FC_SPLIT | FC_WRITTEN => {
                let newer = trees.pop().ok_or(Error::Damaged)?;
                let older = trees.pop().ok_or(Error::Damaged)?;
                Tree::split(older, newer, (node.kind == FC_WRITTEN).then_some(node.weight))
            }
            _ => return Err(Error::Damaged),
        };
        trees.push(tree);
    }
    trees.reverse();
    Ok(trees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_go_to_nodes_and_back() {
        let view = vec![Tree::leaf(1), Tree::split(Tree::merged(2, 3), Tree::leaf(4), Some(5))];
        let nodes = to_nodes(&view).unwrap();
        let node = |size, weight, kind, span| Node {
            size,
            weight,
            kind,
            span,
        };
        let wanted = [
            node(2, 3, FC_MERGED, 1),
            node(1, 4, FC_LEAF, 1),
            node(3, 5, FC_WRITTEN, 3),
            node(1, 1, FC_LEAF, 1),
        ];
        assert_eq!(nodes, wanted);
        assert_eq!(to_view(&nodes), Ok(view));
    }

    #[test]
    fn nodes_that_are_no_view_make_no_tree() {
        let node = |kind| Node {
            size: 1,
            weight: 0,
            kind,
            span: 1,
        };
        for nodes in [
            vec![node(0)],
            vec![node(9)],
            vec![node(FC_SPLIT)],
            vec![node(FC_LEAF), node(FC_WRITTEN)],
        ] {
            assert_eq!(to_view(&nodes), Err(Error::Damaged));
        }
    }
}
