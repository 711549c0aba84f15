import type { CorpusCase } from "../rewrite/corpus";
import { CorpusSite } from "./corpus-site";
import { builtIn, type Engine } from "./engines";
import { type OpenSite, openSite } from "./sites";

interface Left {
  path?: string;
  file?: string;
  line?: number;
}

/**
 * The whole way: brings the program up, changes what is live, accepts it, and looks at what the next preview of each
 * engine would do.
 */
export async function acceptAndPreview(
  example: CorpusCase,
  open: OpenSite = (options) => openSite(builtIn, options),
  engines: readonly Engine[] = [builtIn],
): Promise<void> {
  const shop = await CorpusSite.open(example, open);
  try {
    await shop.prepare();
    const { code, stdout, stderr } = await shop.accept("--write");
    if (stdout === "") throw new Error(`accept ended with ${code}: ${stderr}`);
    const { left } = JSON.parse(stdout) as { left: Left[] };
    expect(shop.files()).toEqual(
      Object.fromEntries(Object.entries(example.files).map(([name, { after }]) => [name, after])),
    );
    const told = left.map(({ path = "", file, line }) => ({ path, place: file ? `${file}:${line}` : "" }));
    expect(told).toEqual(example.left.map(({ path, place }) => ({ path, place })));
    expect(code).toBe(left.length > 0 ? 2 : 0);
    if (left.length === 0 && example.only.length === 0) await expectClean(shop, engines);
  } finally {
    await shop.close();
  }
}

/** Nothing would change; or what would is a record alone, of a takeover or an acceptance, and sends nothing. */
async function expectClean({ site }: CorpusSite, engines: readonly Engine[]): Promise<void> {
  const [engine] = engines;
  const { code } = await site.run(looks, { engine: engine! });
  if (code !== 0) {
    await site.requests();
    await site.expect(0, "up --refresh", { engine: engine! });
    expect(await site.writes()).toEqual([]);
    await site.expect(0, looks, { engine: engine! });
  }
  for (const other of engines.slice(1)) await site.expect(0, looks, { engine: other });
}

const looks = "preview --refresh --expect-no-changes";

/** Programs of one stack whose drift is as a scan finds it. */
export const isLive = ({ stacks, dry }: CorpusCase): boolean => stacks.length === 1 && dry === undefined;
