import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Copies } from "./copies";
import { type Runner, runHere, unasked } from "./runners";
import type { BoxProgram, DeclaredBox, Workshop } from "./workshop";

const box = (name: string, props: object = {}): DeclaredBox => ({ name, props: { label: name, ...props } });
const before: BoxProgram = { resources: [box("a"), box("b"), box("c")] };
const planned: BoxProgram = { resources: [box("a", { size: 2 }), box("b"), box("d")] };

export interface PlanCase {
  then: BoxProgram;
  /** `everywhere` at once; `there` because the Pulumi CLI compares what the program asks for besides the steps. */
  refused?: "everywhere" | "there";
  deeds: string[];
}

export const cases: { [title: string]: PlanCase } = {
  "the update that was planned is made": { then: planned, deeds: ["create d", "delete c", "update a"] },
  "less than what was planned is made": {
    then: { resources: [box("a"), box("b"), box("d")] },
    refused: "there",
    deeds: ["create d", "delete c"],
  },
  "an update that was not planned is refused": {
    then: { resources: [box("a", { size: 2 }), box("b", { size: 9 }), box("d")] },
    refused: "everywhere",
    deeds: [],
  },
  "a replacement in place of an update is refused": {
    then: { resources: [box("a", { size: 2, zone: "9" }), box("b"), box("d")] },
    refused: "everywhere",
    deeds: [],
  },
  "a creation that was not planned is refused": {
    then: { resources: [...planned.resources, box("e")] },
    refused: "everywhere",
    deeds: [],
  },
  "a planned creation that does not happen is told": {
    then: { resources: [box("a", { size: 2 }), box("b")] },
    refused: "everywhere",
    deeds: [],
  },
};

/** What happens to a plan once the program has changed, each time in a copy of one stack. */
export class Plans extends Copies {
  constructor(opened?: (workshop: Workshop) => void) {
    super(before, opened);
  }

  /** Default: the program declares what was planned. */
  async outcome(run: Runner, then: BoxProgram = planned) {
    const workshop = this.copy();
    try {
      const plan = join(workshop.folder, "plan.json");
      workshop.declare(planned);
      const preview = await run(workshop, unasked(`preview --save-plan ${plan}`));
      expect(preview).toMatchObject({ code: 0 });
      const saved = readFileSync(plan, "utf8");
      workshop.declare(then);
      workshop.forgetCalls();
      const { code, output } = await run(workshop, ["up", "--yes", "--stack", "dev", "--plan", plan]);
      return { told: { fails: code !== 0, deeds: workshop.deeds().sort() }, output, saved };
    } finally {
      workshop.remove();
    }
  }
}

/** The same on the built-in engine, whether its processes are real or run in this one. */
export function testPlans(plans: Plans): void {
  describe("on the built-in engine, whose preview finds a refusal before anything is done", () => {
    test.each(Object.keys(cases))("%s", async (title) => {
      const { then, refused, deeds } = cases[title]!;
      const fails = refused === "everywhere";
      const { told, output } = await plans.outcome(runHere, then);
      expect({ ...told, output }).toEqual({ fails, deeds, output });
      if (fails) expect(output).toMatch(/The plan (does not allow|expects) /);
    });

    test("a plan holds steps and no values", async () => {
      const { saved } = await plans.outcome(runHere);
      const { resourcePlans } = JSON.parse(saved) as { resourcePlans: { [urn: string]: { steps: string[] } } };
      const steps = Object.entries(resourcePlans).map(([urn, plan]) => [urn.split("::").at(-1), ...plan.steps]);
      expect(steps).toEqual(
        expect.arrayContaining([
          ["a", "update"],
          ["b", "same"],
          ["c", "delete"],
          ["d", "create"],
        ]),
      );
    });

    test("a missing plan is named", async () => {
      const { code, output } = await runHere(plans.template, unasked("up --plan nowhere.json"));
      expect({ code, output }).toMatchObject({
        code: 1,
        output: expect.stringContaining("nowhere.json cannot be read"),
      });
    });
  });
}
