import { createHash } from "node:crypto";
import { printable } from "./printable";

/** What the policy of a page calls its own script or style. */
export const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that can become no markup, in an element or in a quoted attribute. */
export const text = (raw: string): string => printable(raw).replace(/[&<>"']/g, (character) => entities[character]!);
