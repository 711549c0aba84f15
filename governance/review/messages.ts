import { memberOf, resourceNameIn, resourceTypeIn } from "../../provider/core/pulumi-names";
import type { PreviewMessage } from "../cost/preview";

/** A message without what the engine puts around it. `reason` is prose with code in backticks. */
export interface Message {
  /** `User ada` */
  title?: string | undefined;
  reason: string;
  place?: string | undefined;
}

/** The messages of one severity, each of them once, by resource. `places` are those of resources, by URN. */
export function messagesOf(
  messages: readonly PreviewMessage[],
  severity: "error" | "warning",
  places: ReadonlyMap<string, string>,
): Message[] {
  const own = messages.filter((message) => message.severity === severity).map((message) => messageIn(message, places));
  const byText = new Map(own.map((message) => [JSON.stringify([message.title ?? "\uffff", message.reason]), message]));
  const all = [...byText.keys()].sort().map((key) => byText.get(key)!);
  const news = all.filter(({ title, reason }) => title !== undefined || !isNoNews(reason));
  return news.length > 0 ? news : all.filter(({ reason }) => reason !== "");
}

/** `modelplatform:User resource 'ada': property role value {x} has a problem: reason`, and where its name ends. */
const ofResource = /^\S+ resource '/;
const endOfName = /'(?: has a problem: |: property (\S+) value \{)/g;
const endOfValue = "} has a problem: ";
/** `The property "role" has a problem: reason` */
const ownProblem = /^The property "(?<property>[^"]+)" has a problem: (?<reason>.*)$/s;
/** What an engine adds to the errors of resources. */
const isNoNews = (reason: string): boolean => reason === "" || reason === "preview failed";
/** A path of the machine. */
const programFailed = /^Running program '.*?' failed with an unhandled exception:\s*/s;

function messageIn({ text, urn, place }: PreviewMessage, places: ReadonlyMap<string, string>): Message {
  const bare = text
    .replace(/^(?:error|warning): /, "")
    .replace(/^Preview failed: /, "")
    .replace(programFailed, "");
  const { property, reason = bare, name } = cliProblemIn(bare) ?? ownProblem.exec(bare)?.groups ?? {};
  const type = urn === undefined ? "" : resourceTypeIn(urn);
  return {
    title: urn === undefined ? name : `${memberOf(type) ?? type} ${resourceNameIn(urn)}`,
    reason: (property === undefined ? reason : `\`${property}\`: ${reason}`)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join(" "),
    place: place ?? (urn === undefined ? undefined : places.get(urn)),
  };
}

/** Looks at each letter once, however many quotes a name or a value has. */
function cliProblemIn(text: string): { name: string; property?: string | undefined; reason: string } | undefined {
  const start = ofResource.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  endOfName.lastIndex = start;
  const end = endOfName.exec(text);
  if (!end) return undefined;
  const [name, property] = [text.slice(start, end.index), end[1]];
  if (property === undefined) return { name, reason: text.slice(endOfName.lastIndex) };
  const at = text.indexOf(endOfValue, endOfName.lastIndex);
  return at < 0 ? undefined : { name, property, reason: text.slice(at + endOfValue.length) };
}
