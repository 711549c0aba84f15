import {
  type NoticeEntry,
  type NoticeSection,
  type NotificationForm,
  namesText,
  sectionTitle,
  summaryOf,
} from "./notice";

/** What a Slack message may have at most. */
const limits = { blocks: 50, header: 150, text: 3000, fallback: 4000 };

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

const marks = { error: "🔴", warning: "🟠", note: "⚪" } as const;

/**
 * Blocks of Slack's Block Kit. Texts of others stand in rich text, where nothing is a mention, a link or an emphasis;
 * the fallback alone is markup, and is escaped.
 */
export const slack: NotificationForm = {
  contentType: "application/json; charset=utf-8",
  bodyOf: (notice) => {
    const { headline, scope, sections, tool, time } = notice;
    const blocks = [
      { type: "header", text: { type: "plain_text", text: cut(headline, limits.header), emoji: false } },
      ...sections.flatMap(sectionBlocks),
    ];
    const room = limits.blocks - 1;
    const footer = [tool.name, tool.version, time, ...scope].join(" · ");
    return {
      text: cut(escapeText(summaryOf(notice)), limits.fallback),
      blocks: [...blocks.slice(0, room), richText([plain(cut(footer, limits.text))])],
    };
  },
};

/** Slack reads these three as markup wherever text is. */
const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function sectionBlocks(section: NoticeSection): object[] {
  return [
    { type: "divider" },
    richText([bold(sectionTitle(section))]),
    ...section.entries.map(entryBlock),
    ...(section.omitted > 0 ? [richText([plain(`and ${section.omitted} more, which the report lists`)])] : []),
  ];
}

function entryBlock(entry: NoticeEntry): object {
  const { severity, title, changes, facts } = entry;
  const lines = [...changes, ...(facts.length > 0 ? [facts.join("; ")] : []), namesText(entry)];
  return richText([
    plain(`${marks[severity]} `),
    bold(cut(title, limits.text)),
    plain(cut(`\n${lines.join("\n")}`, limits.text - title.length)),
  ]);
}

const richText = (elements: readonly object[]): object => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements }],
});

const plain = (text: string): object => ({ type: "text", text });

const bold = (text: string): object => ({ type: "text", text, style: { bold: true } });

/** Bytes of a message; Teams takes 28 KB. */
const longest = 24_000;

const colors = { error: "attention", warning: "warning", note: "default" } as const;

/**
 * An adaptive card, as the workflows of Teams take it. Texts of others stand in runs of text, which unlike text blocks
 * know no Markdown.
 */
export const teams: NotificationForm = {
  contentType: "application/json; charset=utf-8",
  bodyOf: (notice) => {
    const { headline, sections, scope, tool, time } = notice;
    const footer = paragraph([run([tool.name, tool.version, time, ...scope].join(" · "), { isSubtle: true })]);
    const opening = paragraph([run(headline, { size: "large", weight: "bolder" })]);
    return {
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            type: "AdaptiveCard",
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            version: "1.4",
            fallbackText: summaryOf(notice),
            msteams: { width: "Full" },
            body: [opening, ...withinLimit(sections.flatMap(sectionElements)), footer],
          },
        },
      ],
    };
  },
};

/** As many elements as fit, and a word that there are more. */
function withinLimit(elements: readonly object[]): object[] {
  const kept: object[] = [];
  let size = 0;
  for (const element of elements) {
    size += Buffer.byteLength(JSON.stringify(element));
    if (size > longest) return [...kept, paragraph([run("There is more, which the report lists.")])];
    kept.push(element);
  }
  return kept;
}

function sectionElements(section: NoticeSection): object[] {
  return [
    paragraph([run(sectionTitle(section), { weight: "bolder" })], { separator: true, spacing: "medium" }),
    ...section.entries.flatMap(entryElements),
    ...(section.omitted > 0 ? [paragraph([run(`and ${section.omitted} more, which the report lists`)])] : []),
  ];
}

function entryElements(entry: NoticeEntry): object[] {
  const { severity, title, changes, facts } = entry;
  const lines = [...changes, ...(facts.length > 0 ? [facts.join("; ")] : [])];
  return [
    paragraph([run(title, { weight: "bolder", color: colors[severity] })]),
    ...lines.map((line) => paragraph([run(line)], { spacing: "none" })),
    paragraph([run(namesText(entry), { isSubtle: true })], { spacing: "none" }),
  ];
}

const paragraph = (inlines: readonly object[], look: object = {}): object => ({
  type: "RichTextBlock",
  ...look,
  inlines,
});

const run = (text: string, look: object = {}): object => ({ type: "TextRun", text, ...look });
