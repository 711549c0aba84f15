import { allKinds, type Outcome, type Row } from "./row";
import { groups } from "./rows";

const ends: Readonly<Record<Outcome, string>> = {
  right: "works",
  setting: "works with",
  refused: "is refused",
  "refused at once": "is refused at the first write",
};

/** The part of `docs/dev/measured/deviations.md` that says what becomes of each deviation. */
export function deviationsPage(): string {
  const sections = Object.entries(groups).map(([title, rows]) =>
    [`## ${title}`, "| A service where | of | |", "|---|---|---|", ...rows.map(line)].join("\n"),
  );
  return sections.join("\n\n");
}

const line = ({ name, kinds, outcome, settings = {} }: Row): string =>
  `| ${name} | ${kinds.length === allKinds.length ? "all kinds" : kinds.join(", ")} | ${[ends[outcome], ...Object.entries(settings).map(settingText)].join(" ")} |`;

const settingText = ([name, value]: [string, string]): string => `\`modelplatform:${name}\` \`${value}\``;
