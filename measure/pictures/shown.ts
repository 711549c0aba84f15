import type { Site } from "../../tests/e2e/site";

/** The scan whose page is a picture of the README. */
export const scanOfPicture = (page: string): string[] => ["drift", "--unmanaged", "--format", "html", "--output", page];

/** What people did by hand before that scan. */
export async function tamper(site: Site): Promise<void> {
  const [chat] = site.live("deployments").filter(({ displayName }) => displayName === "Chat");
  const [grace] = site.live("users").filter(({ email }) => email === "grace@example.com");
  await site.tamper(chat!["name"], { maxReplicaCount: 8 });
  await site.tamper(grace!["name"], { role: "admin" });
  const name = String(chat!["name"]).replace(/[^/]+$/, "trial");
  await site.seed({ [name]: { ...chat, name, displayName: "Trial" } });
}
/** Ids, times and counts of requests, which differ from run to run. */
const withoutChance = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)/g, "<time>")
    .replace(/\d+(?:\.\d+)? ?s\b/g, "<s>")
    .replace(/\d+ requests/g, "<n> requests")
    .replace(/\/tmp\/[\w./-]+/g, "<folder>");

/** What the page says above its findings and of the first of them, which the picture has unfolded. */
export function textOfPage(html: string): string {
  const begin = html.indexOf("<header>");
  const above = html.slice(begin, html.indexOf('id="findings"', begin)).replace(/<[^>]{1,500}>?/g, "\n");
  const json = /<script type="application\/json" id="data">([^<]*)</.exec(html)?.[1] ?? "[]";
  const [first] = JSON.parse(json) as Record<string, string>[];
  const { severity, verdict, object, reason, account, next } = first!;
  // How it is accepted depends on where the program has it, which is elsewhere in a test.
  const row = [severity, verdict, object, reason, account, next!.split(" To keep ")[0]].join("\n");
  return withoutChance(`${above.replace(/\s*\n\s*/g, "\n").trim()}\n${row}\n`);
}

/** The rows of a terminal's table, and what is printed below it but times; of lines without a table, the same. */
export function textOfTerminal(text: string): string[] {
  const rows = [
    ...text.matchAll(/^ *\+ +(modelplatform:\w+) +(\w+) +created/gm),
    ...text.matchAll(/\+ (modelplatform:\w+) (\w+): created/g),
  ].map(([, type, name]) => `${type} ${name}`);
  const outputs = text.split("\nOutputs\n")[1]!.split("\nDone in")[0]!.trim().split("\n");
  return [...rows.sort(), ...outputs.map((line) => line.trim()), /\d+ created\.$/m.exec(text)![0]];
}
