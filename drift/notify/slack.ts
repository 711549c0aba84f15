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
