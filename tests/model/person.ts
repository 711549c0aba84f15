import { isDeepStrictEqual } from "node:util";
import {
  acceptingOther,
  adopting,
  adoptingUnknown,
  askedAbout,
  askedToDelete,
  asksAboutFormer,
  asksForAnother,
  asksOfNeighbor,
  asksToTake,
  asksWhose,
  besideKept,
  cannotTake,
  leftAtItsId,
  type ReachableService,
} from "./answers";
import type { CommandOutcome } from "./engine";
import type { Ledger } from "./ledger";
import { inStack, urnsOf } from "./program";
import type { Scene } from "./scene";
import type { Stack } from "./stacks";

/** Runs the command at hand once more, with an answer of the configuration. */
type Rerun = (config?: Record<string, string>) => Promise<CommandOutcome>;

/** Who does what errors ask, and knows what is whose. */
export class Person {
  constructor(
    private readonly scene: Scene,
    private readonly ledger: Ledger,
    private readonly stacks: readonly Stack[],
  ) {}

  /** Whether objects may show another time than that of the run which has made them, or no journal tells. */
  private get isUntold(): boolean {
    return this.ledger.hasMoved || this.scene.deviating.deviations.some((each) => each.deviation === "clocks");
  }

  /** The service, as a person at a stack reaches it. */
  serviceAt(stack: Stack): ReachableService {
    const { scene } = this;
    const { engine } = stack;
    return {
      live: () => scene.live(),
      theirs: scene.theirs,
      isOwn: async (declaration, name) =>
        engine.isCreating(urnsOf(declaration)) ||
        scene.isOwn(
          urnsOf(declaration).map((urn) => inStack(urn, engine.stack)),
          name,
        ),
      discard: scene.discard.bind(scene),
      firstId: stack === this.stacks[0] ? 0 : 100,
    };
  }

  /** Answers until nothing is asked: with the first of a series of ids out of the way, the next may be in question. */
  async settle(stack: Stack, asking: CommandOutcome, rerun: Rerun): Promise<CommandOutcome> {
    let outcome = await this.correct(stack, asking, rerun);
    for (let turn = 0; turn < 3 && outcome.errors.length > 0; turn += 1) {
      outcome = await this.answer(stack, outcome, rerun);
      outcome = await this.correct(stack, outcome, rerun);
    }
    return outcome;
  }

  /** Changes the program as errors advise. */
  private async correct(stack: Stack, asking: CommandOutcome, rerun: Rerun): Promise<CommandOutcome> {
    const service = this.serviceAt(stack);
    let outcome = asking;
    for (const answer of [
      () => adopting(asking.errors, stack.program, service, stack.engine.state),
      () => besideKept(outcome.errors, stack.program, service, this.ledger.released),
      () => (this.isUntold ? adoptingUnknown(outcome.errors, stack.program, service) : stack.program),
      () => (this.ledger.hasMoved ? acceptingOther(outcome.errors, stack.program, service) : stack.program),
    ]) {
      const program = answer();
      if (isDeepStrictEqual(program, stack.program)) continue;
      stack.program = program;
      outcome = await rerun();
    }
    return outcome;
  }

  /** Answers question by question. */
  private async answer(stack: Stack, asking: CommandOutcome, rerun: Rerun): Promise<CommandOutcome> {
    const { scene, ledger } = this;
    let outcome = await this.discardAsked(stack, asking, rerun);
    if (asksToTake(outcome.errors, ledger.changed)) outcome = await rerun({ recover: "take" });
    // Of what the journal does not tell, a person takes what is not released; the rest is left where it is.
    for (const recover of ["take", "new"]) {
      const asked = askedAbout(outcome.errors, this.isUntold);
      const isMeant = recover === "new" || !asked.some((name) => ledger.released.has(name) || scene.theirs.has(name));
      if (asked.length > 0 && isMeant) outcome = await rerun({ recover });
    }
    if (asksWhose(outcome.errors, await ledger.account(stack))) outcome = await rerun({ recover: "new" });
    const whose = asksOfNeighbor(outcome.errors, stack.formerNames);
    if (whose) outcome = await rerun({ recover: whose });
    for (const recover of ["take", "new"] as const)
      if (asksAboutFormer(outcome.errors, recover)) outcome = await rerun({ recover });
    outcome = await this.discardAsked(stack, outcome, rerun);
    if (asksForAnother(outcome.errors)) outcome = await rerun({ recover: "new" });
    if (cannotTake(outcome.errors)) outcome = await rerun({ recover: "new" });
    for (const name of leftAtItsId(outcome.errors)) {
      await scene.discard(name);
      outcome = await rerun({ recover: "new" });
    }
    return outcome;
  }

  private async discardAsked(stack: Stack, asking: CommandOutcome, rerun: Rerun): Promise<CommandOutcome> {
    let outcome = asking;
    for (const name of new Set(askedToDelete(asking.errors, await this.ledger.account(stack)))) {
      await this.scene.discard(name);
      outcome = await rerun();
    }
    return outcome;
  }
}
