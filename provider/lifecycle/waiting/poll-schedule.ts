/** A look to come, by the age of what is waited for, in milliseconds. */
export interface NextPoll {
  at: number;
  /** How long after another look it is due at the earliest, so that both are one. */
  apart: number;
}

/** What was waited for was not there at `from` and was at `to`, in milliseconds of its age. */
interface SeenDuration {
  from: number;
  to: number;
  /** The last of its kind was looked at before `from`, and not since: it may have been there earlier. */
  unsure?: true;
}

/** Number of remembered stays; older ones say less. */
const remembered = 8;
/**
 * Pauses between two looks where an end is near: at least and at most, and by age, so that the lag is half of that on
 * average.
 */
const shortest = 50;
const longest = 4500;
const share = 0.09;
/** Differences in age that do not matter: as a share, and at most. */
const blur = 0.03;
const mostBlur = 1000;
/** Growth of age from look to look while nothing is known. */
const growth = 1.6;
/** First look before anything is expected, in case something has gone wrong. */
const firstDoubt = 1000;
/** Fraction of the time until anything is expected; a doubt that would come later waits until then. */
const worthDoubt = 0.75;

/** The pause that keeps the lag small against the wait. */
const pauseAt = (age: number): number => Math.min(Math.max(age * share, shortest), longest);

/**
 * How long objects take from one state to another: what this process has seen, and before that what the declaration
 * calls usual. Looks are close to each other where stays have ended before and far apart elsewhere.
 */
export class DurationEstimate {
  private readonly seen: SeenDuration[] = [];
  /** The highest age at which something was still on its way, while none has arrived. */
  private survived = 0;

  /** `usual`: of the declaration; `rarest`: the longest pause between two looks. In milliseconds. */
  constructor(
    private readonly usual: number | undefined,
    private readonly rarest: number,
  ) {}

  /** An object of this age was not there yet. */
  missed(age: number): void {
    this.survived = Math.max(this.survived, age);
  }

  /**
   * Something arrived between two looks. An interval that overlaps a known one narrows it; if the known one was not
   * watched from its start, it is widened downwards once, so that a service that gets faster is noticed.
   */
  arrived(from: number, to: number): void {
    const index = this.seen.findIndex((stay) => stay.from < to && from < stay.to);
    const [known] = index < 0 ? [] : this.seen.splice(index, 1);
    this.seen.push(known ? narrowed(known, from, to) : { from, to });
    if (this.seen.length > remembered) this.seen.shift();
  }

  /** The look after one at this age; 0 is the beginning. */
  after(age: number): NextPoll {
    const at = Math.min(this.seen.length > 0 ? this.expected(age) : this.groped(age), age + this.rarest);
    return { at, apart: at < this.earliest ? this.doubtsApart(at) : pauseAt(at) };
  }

  /** A doubt is never put off beyond the time when something is expected. */
  private doubtsApart(at: number): number {
    return this.seen.length === 0 ? firstDoubt : Math.max(shortest, Math.min(firstDoubt, this.earliest - at));
  }

  /** Earliest age at which a wait is known to have ended. */
  private get earliest(): number {
    return this.seen.length > 0 ? Math.min(...this.seen.map(({ from }) => from)) : this.survived;
  }

  private groped(age: number): number {
    const { usual = Infinity } = this;
    if (age >= usual) return age + Math.max(pauseAt(age), (age - usual) / 2);
    const grown = Math.max(age * growth, age + shortest);
    return Math.min(age < this.survived ? Math.max(grown, Math.min(doubted(age), this.survived)) : grown, usual);
  }

  private expected(age: number): number {
    const last = Math.max(...this.seen.map(({ to }) => to));
    if (age >= last) return age + Math.max(pauseAt(age), (age - last) / 2);
    const ends = this.seen
      .filter(({ to }) => to > age)
      .map(({ from, to }) => Math.min(to, Math.max(from, age) + within(from, to)));
    const doubt = doubted(age);
    const between = age >= this.earliest ? age + Math.max(pauseAt(age), (last - age) / 3) : Infinity;
    const next = Math.min(...ends, between, doubt > this.earliest * worthDoubt ? Infinity : doubt);
    return Math.max(age + Math.max(shortest, Math.min(age * blur, mostBlur)), next);
  }
}

const doubted = (age: number): number => Math.max(age * 2, firstDoubt);

/** The pause between looks from the beginning of a known stay on: the wider it is, the more of it there is to learn. */
const within = (from: number, to: number): number =>
  Math.max(Math.min(pauseAt(from), (to - from) / 2), Math.min(to * blur, mostBlur));

function narrowed(known: SeenDuration, from: number, to: number): SeenDuration {
  const end = Math.min(known.to, to);
  if (from >= known.from) return { from, to: end };
  if (known.unsure && to >= known.to) return known;
  return { from: Math.max(from, 2 * known.from - end), to: end, unsure: true };
}

/** The looks of one wait. */
export class PollSchedule {
  private previousAge = 0;
  private age = 0;

  constructor(
    private readonly estimate: DurationEstimate,
    private readonly startedAt: number,
  ) {}

  /** The next look, from now. */
  next(now: number): NextPoll {
    const { at, apart } = this.estimate.after(this.age);
    return { at: Math.max(0, this.startedAt + at - now), apart };
  }

  looked(now: number): void {
    this.previousAge = this.age;
    this.age = now - this.startedAt;
  }

  /** What the last look has shown. */
  learn(isThere: boolean): void {
    if (this.age === 0) return;
    if (isThere) this.estimate.arrived(this.previousAge, this.age);
    else this.estimate.missed(this.age);
  }
}
