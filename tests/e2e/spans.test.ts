import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTheCli, pulumiCli } from "./engines";
import { apiKey, Site } from "./site";

jest.setTimeout(120_000);

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes?: { key: string; value: { stringValue?: string } }[];
  /** Who tells of it. */
  service: string | undefined;
}

type Attributes = Span["attributes"];
interface Line {
  resourceSpans: { resource: { attributes?: Attributes }; scopeSpans: { spans: Omit<Span, "service">[] }[] }[];
}

const valueOf = (attributes: Attributes, name: string): string | undefined =>
  attributes?.find(({ key }) => key === name)?.value.stringValue;

/** The spans of a file as the CLI writes it: a message in each line. */
const spansIn = (text: string): Span[] =>
  text
    .trim()
    .split("\n")
    .flatMap((line) => (JSON.parse(line) as Line).resourceSpans)
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({ ...span, service: valueOf(resource.attributes, "service.name") })),
      ),
    );

onTheCli(() => {
  test("a traced `up` has the plugin's calls and requests beneath the engine's", async () => {
    const site = await Site.open(pulumiCli);
    try {
      const file = join(site.folder, "up.json");
      const ada = { kind: "User", email: "ada@example.com", role: "admin" };
      const token = { kind: "Secret", keyName: "TOKEN", value: "value-that-nobody-may-see" };
      site.declare({ resources: { ada, token }, from: "pulumi-modelplatform/plugin" });
      await site.expect(0, `up --otel-traces file://${file}`);
      const text = readFileSync(file, "utf8");
      const all = spansIn(text);
      const byId = new Map(all.map((span) => [span.spanId, span]));
      const parentOf = ({ parentSpanId = "" }: Span): Span | undefined => byId.get(parentSpanId);
      const own = all.filter(({ service }) => service === "pulumi-resource-modelplatform");
      const calls = own.filter(({ name }) => name.startsWith("pulumirpc."));
      for (const call of calls) {
        const parent = parentOf(call);
        expect(parent).toMatchObject({ name: call.name, service: "pulumi-cli", traceId: call.traceId });
      }
      const created = calls.filter(({ name }) => name.endsWith("/Create"));
      const urns = created.map(({ attributes }) => valueOf(attributes, "pulumi.urn")!.split("::").at(-1));
      expect(urns.sort()).toEqual(["ada", "token"]);
      // Every request is beneath a call, and so is what the service has seen.
      const requests = own.filter((span) => !calls.includes(span));
      expect(requests.every((span) => calls.includes(parentOf(span)!))).toBe(true);
      expect(requests).toHaveLength((await site.requests()).length);
      for (const secret of [apiKey, "value-that-nobody-may-see"]) expect(text).not.toContain(secret);
    } finally {
      await site.close();
    }
  });
});
