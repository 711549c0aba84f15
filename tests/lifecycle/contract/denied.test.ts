import type { Settings } from "../../../emulator/index";
import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, edited, type HostedHarness, inputsOf, live, openService } from "./service";
import { subjects } from "./subjects/index";

/**
 * Who may not see an object learns nothing of it, and takes nothing for gone, in whatever
 * words the service says so (A003, A091, A093).
 */

let at: HostedHarness;
afterEach(() => at.close());

const styles = ["flat", "nested", "text", "html", "empty"] as const;

const wordings: readonly (readonly [string, Partial<Settings>])[] = ([403, 404] as const).flatMap((denied) =>
  styles.map((errorStyle) => [`${denied}, ${errorStyle}`, { denied, errorStyle }] as const),
);

const cases = subjects.map((subject) => [subject.kind, subject] as const);

/** The key of another account, in the place of the account's own. */
const wrongKey = { accounts: JSON.stringify({ beta: { apiKey: "acme-key" } }) };

describe.each(wordings.map(([title, settings], place) => [title, settings, place] as const))(
  "where access is denied with %s",
  (_, settings, place) => {
    onEachHost(5, place, cases, (cases, host) =>
      test.each(cases)(
        "a %s without access is not created, read, updated or deleted, and stays recorded",
        async (kind, subject) => {
          at = await openService(settings, subject, host);
          const words = (errorStyle: Settings["errorStyle"]): void => at.emulator.world.changeSettings({ errorStyle });
          const place = { ...subject.replacements["accountId"]?.with, accountId: "beta" };
          const inputs: Values = { ...inputsOf(subject), ...place };
          const denied = new DeclaredResource(at, kind, "it", wrongKey);
          await expect(denied.up(inputs)).rejects.toThrow(String(settings.denied));
          expect([denied.state, live(at, subject)]).toEqual([undefined, []]);
          const it = new DeclaredResource(at, kind);
          words("flat");
          await it.up(inputs);
          words(settings.errorStyle!);
          const before = at.object(it.id);
          denied.restore(it.state!);
          await expect(denied.refresh()).rejects.toThrow(String(settings.denied));
          await expect(denied.destroy().then(() => denied.refresh())).rejects.toThrow(String(settings.denied));
          const program = edited(subject);
          if (program) await expect(denied.up({ ...program, ...place })).rejects.toThrow(String(settings.denied));
          expect([denied.state, at.object(it.id)]).toEqual([it.state, before]);
        },
      ),
    );
  },
);

describe.each(styles)("where errors are %s", (errorStyle) => {
  onEachHost(1, 0, cases, (cases, host) =>
    test.each(cases)(
      "a %s that somebody has deleted counts as gone, in whatever words its 404 says so",
      async (kind, subject) => {
        at = await openService({}, subject, host);
        const it = new DeclaredResource(at, kind);
        await it.up(subject.inputs);
        at.emulator.world.changeSettings({ errorStyle });
        await at.vanish(it.id);
        const outlives = declarationOf(subject).deletion === "forever";
        expect(await it.refresh()).toBe(outlives ? "there" : "gone");
      },
    ),
  );
});
