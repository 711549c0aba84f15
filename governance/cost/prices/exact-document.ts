import type { Document, LineCounter, Scalar } from "yaml";
import { ConfigurationError } from "../../../provider/core/errors";
import { pathText, type Segment } from "../../../provider/core/values/paths";
import { type Nanos, nanosIn } from "../money";

/** A YAML or JSON document whose numbers can be read as they are written, before they become binary fractions. */
export interface ExactDocument {
  value: unknown;
  /** The amount at a path that holds a number. Throws where its digits do not fit. */
  nanosAt(path: readonly Segment[]): Nanos;
  /** The line of what is at a path, for errors; of its parent where there is nothing. */
  lineOf(path: readonly Segment[]): number | undefined;
}

/** Throws `ConfigurationError` for text that is not one document, or has anchors, which could name anything twice. */
export function readExactly(text: string, where: string): ExactDocument {
  const { LineCounter, isAlias, isScalar, parseAllDocuments, visit } = require("yaml") as typeof import("yaml");
  const lines: LineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, stringKeys: true, version: "1.2" });
  const [document, second] = "empty" in documents ? [] : (documents as Document.Parsed[]);
  if (!document) throw new ConfigurationError(`${where} is empty`, { advice: "Write at least `currency: USD`." });
  if (second) throw new ConfigurationError(`${where} holds several documents`, { advice: "Leave one, without `---`." });
  const [problem] = document.errors;
  if (problem)
    throw new ConfigurationError(`${where} is not YAML or JSON: ${problem.message.split("\n")[0]!.replace(/:$/, "")}`, {
      advice: "Correct it; an editor that knows YAML shows the place.",
    });
  visit(document, (_, node) => {
    if (isAlias(node) || (node !== null && typeof node === "object" && "anchor" in node && node.anchor !== undefined))
      throw new ConfigurationError(`${where} has an anchor or an alias`, { advice: "Write what it stands for." });
  });
  const scalarAt = (path: readonly Segment[]): Scalar | undefined => {
    const node: unknown = document.getIn(path, true);
    return isScalar(node) ? node : undefined;
  };
  const lineOf = (path: readonly Segment[]): number | undefined => {
    const node = document.getIn(path, true) as { range?: [number, number, number] | null } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
    return path.length === 0 ? undefined : lineOf(path.slice(0, -1));
  };
  return {
    value: document.toJS(),
    lineOf,
    nanosAt(path) {
      const nanos = nanosIn(scalarAt(path)?.source ?? "");
      if (nanos !== undefined) return nanos;
      throw new ConfigurationError(
        `${placeIn(where, lineOf(path))}: \`${pathText(path)}\` is not written as plain digits`,
        {
          advice: "Write it as in `3.25`, with at most nine digits after the point.",
        },
      );
    },
  };
}

export const placeIn = (where: string, line: number | undefined): string =>
  line === undefined ? where : `${where}, line ${line}`;
