import { type Board, type BoardRow, isInternal, isNotable } from "./board";

export interface Branch {
  row: BoardRow;
  /** The lines that connect the row to its parent; empty at the root. */
  prefix: string;
}

/** The notable rows with their ancestors, children below their parents, in order of appearance. */
export function tree(board: Board): Branch[] {
  const shown = new Set<BoardRow>();
  for (const row of board.rows.values()) {
    for (
      let at: BoardRow | undefined = isNotable(row) ? row : undefined;
      at && !shown.has(at);
      at = parentOf(board, at)
    )
      shown.add(at);
  }
  const children = new Map<BoardRow | undefined, BoardRow[]>();
  for (const row of board.rows.values()) {
    if (!shown.has(row)) continue;
    const parent = parentOf(board, row);
    const siblings = children.get(parent);
    if (siblings) siblings.push(row);
    else children.set(parent, [row]);
  }
  return branches(children, undefined, "");
}

function parentOf(board: Board, row: BoardRow): BoardRow | undefined {
  const parent = row.parent === undefined ? undefined : board.rows.get(row.parent);
  return parent === undefined || isInternal(parent) ? undefined : parent;
}

function branches(
  children: Map<BoardRow | undefined, BoardRow[]>,
  parent: BoardRow | undefined,
  indent: string,
): Branch[] {
  const below = children.get(parent) ?? [];
  return below.flatMap((row, index) => {
    const last = index === below.length - 1;
    const prefix = parent === undefined ? "" : `${indent}${last ? "└─ " : "├─ "}`;
    const deeper = parent === undefined ? "" : `${indent}${last ? "   " : "│  "}`;
    return [{ row, prefix }, ...branches(children, row, deeper)];
  });
}
