import { type BoxProgram, Workshop } from "./workshop";

/** One stack, made once, and a copy of it for each case. */
export abstract class Copies {
  readonly template = new Workshop();

  /** `opened`: called with each workshop before its first command. */
  protected constructor(
    private readonly scenario: BoxProgram,
    private readonly opened: (workshop: Workshop) => void = () => undefined,
  ) {}

  async begin(): Promise<void> {
    this.opened(this.template);
    await this.template.up(this.scenario);
  }

  end = (): void => this.template.remove();

  copy(): Workshop {
    const workshop = new Workshop();
    this.template.lend(workshop);
    this.opened(workshop);
    return workshop;
  }
}
