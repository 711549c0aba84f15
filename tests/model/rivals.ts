import type { Values } from "../values";
import { type HeldResource, keyOf } from "./invariants";
import type { Trouble } from "./scenario";
import type { Scene } from "./scene";
import type { RequestOnTheWay } from "./transport";

/** What is known of the stack when the other team comes. */
interface Background {
  /** Names and natural keys of what interrupted creates have begun before this command. */
  begun: ReadonlySet<string>;
  /** What the state holds by now. */
  state(): readonly HeldResource[];
  /** Nothing else goes wrong. */
  isAlone: boolean;
}

/** The other team, which makes what the n-th create of a command is about to make: before it, or between two tries. */
export class Rival {
  /** Requests by what they create. */
  private readonly creates = new Map<string, number>();

  constructor(
    private readonly trouble: Extract<Trouble, { trouble: "rival" }>,
    private readonly scene: Scene,
    private readonly background: Background,
  ) {}

  async meet(request: RequestOnTheWay): Promise<void> {
    const { create, after } = this.trouble;
    const collection = request.path.split("/").at(-1)!;
    const kind = { users: "User", secrets: "Secret", deployments: "Deployment" }[collection];
    const isChosen = /^(chat|search)$/.test(request.query.get("deploymentId") ?? "");
    if (kind === undefined || (kind === "Deployment" && !isChosen) || (kind === "Secret" && this.isBlind(request)))
      return;
    const key = JSON.stringify([collection, request.body]);
    const seen = (this.creates.get(key) ?? 0) + 1;
    this.creates.set(key, seen);
    if (this.creates.size !== create) return;
    if (after === undefined) return seen === 1 ? this.scene.rival(request) : undefined;
    if (seen === 1) await this.scene.strike(kind, "create", after, 0, 1);
    if (seen === 2) await this.scene.rival(request);
  }

  /**
   * Nothing of a secret is answered that could tell one of the same name from another: which the state holds, or which
   * an earlier request of the same may have made.
   */
  private isBlind({ path, body }: RequestOnTheWay): boolean {
    const { begun, state, isAlone } = this.background;
    const collection = path.replace("/v1/", "");
    const { keyName } = body as Values;
    const isHeld = state().some(({ id, outputs }) => id.startsWith(collection) && outputs["keyName"] === keyName);
    const isBegun = begun.has(keyOf({ name: `${collection}/`, keyName }));
    return isHeld || isBegun || !isAlone || this.trouble.after?.includes("429") === false;
  }
}

/**
 * The object that the other team's create has made, whatever became of the answer: what
 * is live since, with the id or the natural key that was asked for.
 */
export const madeByRival = (
  before: ReadonlyMap<string, Values>,
  live: ReadonlyMap<string, Values>,
  body: Values,
  id?: string,
): [name: string, object: Values] | undefined =>
  [...live].find(
    ([name, object]) =>
      !before.has(name) &&
      (id === undefined
        ? ["email", "keyName"].some((key) => key in body && object[key] === body[key])
        : name.endsWith(`/deployments/${id}`)),
  );

/** Another value of a field that is always sent, so that nobody can take the object for an echo of our own request. */
export const altered = (body: Values): Values => ({
  ...body,
  ...("role" in body && { role: "inference-user", displayName: "theirs" }),
  ...("maxReplicaCount" in body && { maxReplicaCount: 9, displayName: "theirs" }),
  ...("value" in body && { value: "theirs" }),
});
