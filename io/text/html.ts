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

/** A page that needs no other file: `policy` says what in it counts. `body` is HTML, `title` is text. */
export const page = ({ title, policy, style, body }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

interface Page {
  title: string;
  policy: string;
  style: string;
  body: string;
}
