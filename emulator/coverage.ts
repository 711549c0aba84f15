import { channel } from "node:diagnostics_channel";
import type { Rule } from "../provider/core/declaration/rules";
import type { Field } from "../provider/core/fields/fields";
import { isObject } from "../provider/core/values/values";
import { operations, type RoutedOperation } from "./routes";
import type { ApiError, ApiRequest, Fields } from "./types";
import { serviceRules } from "./validate";

/**
 * Called with everything that an emulator of this process serves for the first time, as one line of text: `answered
 * Deployment placement.region`. A test run listens, and so learns what it has tried.
 */
const served = channel("modelplatform:emulator:served");

/** A field, and whether a value has been seen in it. */
interface FieldCoverage {
  field: Field;
  seen: boolean;
  /** Seen, with everything in it: not visited again. */
  done: boolean;
  inner: readonly FieldCoverage[];
}

/** The fields of a message, without those that only travel the other way. */
function fieldsIn(fields: readonly Field[], without: "inputOnly" | "outputOnly"): FieldCoverage[] {
  const kept = fields.filter(({ markers }) => !markers[without]);
  return kept.map((field) => ({
    field,
    seen: false,
    done: false,
    inner: fieldsIn([...(field.fields ?? []), ...(field.item ? [field.item] : [])], without),
  }));
}

/** Zero, empty and false say as much as an absent member (A094); a message that is there is set, whatever it holds. */
const isZeroValue = ({ type }: Field, value: unknown): boolean =>
  !value || (typeof value === "object" && type !== "object" && Object.keys(value).length === 0);

/** Marks the fields that `value` fills; `report` receives each path once. */
function visit(coverage: FieldCoverage, value: unknown, report: (path: string) => void): void {
  const { field, inner, done } = coverage;
  if (done || isZeroValue(field, value)) return;
  if (!coverage.seen) report(field.path);
  coverage.seen = true;
  if (field.item) for (const each of Object.values(value as object)) visit(inner[0]!, each, report);
  else for (const member of inner) visit(member, (value as Fields)[member.field.name], report);
  coverage.done = inner.every(({ done }) => done);
}

/** Members that hold an object's state. */
const stateNames: readonly string[] = ["state", "status"];

interface ObservedParts {
  sent: readonly FieldCoverage[];
  answered: readonly FieldCoverage[];
  states: Set<string>;
  broken: Set<Rule>;
}

/**
 * What one emulator has served since it began: operations with their outcomes,
 * fields, states, and rules that refused something.
 */
export class EmulatorCoverage {
  private readonly outcomes = new Map<RoutedOperation, Record<number, number>>();
  private readonly kinds = new Map<RoutedOperation["spec"], ObservedParts>();
  private readonly published = new Set<string>();
  private readonly inspected = new WeakSet<object>();

  /** A request that was answered well. */
  noteResponse(operation: RoutedOperation, request: ApiRequest, body: Fields): void {
    this.count(operation, 200);
    for (const name of request.query.keys())
      if (operation.query.includes(name)) this.publish(`parameter ${operation.name} ${name}`);
    const seen = this.noteSeen(operation.spec);
    const wrap = operation.declared.body?.wrap;
    this.inspect(
      operation,
      "sent",
      verbsWithBody.has(operation.verb) ? seen.sent : [],
      wrap && isObject(request.body) ? request.body[wrap.message] : request.body,
    );
    const listed = operation.verb === "list" ? (body[operation.spec.collection] as unknown[]) : [body];
    for (const each of listed) this.inspect(operation, "answered", seen.answered, each);
  }

  /** A request that was refused, and the rules between fields that it broke. */
  noteError(operation: RoutedOperation, { status, broken }: ApiError): void {
    this.count(operation, status);
    for (const rule of broken) {
      this.noteSeen(operation.spec).broken.add(rule);
      this.publish(`broken ${operation.spec.kind} ${JSON.stringify(rule)}`);
    }
  }

  /** As `GET coverage` answers it. */
  document(): Fields {
    const operationCoverage = operations.map((operation) => {
      const statuses = this.outcomes.get(operation) ?? {};
      return {
        name: operation.name,
        provenance: operation.declared.provenance,
        requests: Object.values(statuses).reduce((sum, count) => sum + count, 0),
        statuses,
      };
    });
    return {
      covered: operationCoverage.filter(({ requests }) => requests > 0).length,
      total: operationCoverage.length,
      operations: operationCoverage,
      kinds: Object.fromEntries(
        [...new Set(operations.map(({ spec }) => spec))].map((spec) => [spec.kind, this.kind(spec)]),
      ),
    };
  }

  private kind(spec: RoutedOperation["spec"]): Fields {
    const { sent, answered, states, broken } = this.noteSeen(spec);
    const members = (places: readonly FieldCoverage[]): Fields =>
      Object.fromEntries(places.flatMap(within).map(({ field, seen }) => [field.path, seen]));
    const known = spec.fields.outputs
      .filter(({ name, values }) => stateNames.includes(name) && values)
      .flatMap(({ values = [] }) => values);
    return {
      sent: members(sent),
      answered: members(answered),
      states: Object.fromEntries([...new Set([...known, ...states])].map((state) => [state, states.has(state)])),
      rules: serviceRules(spec).map((rule) => ({ ...rule, refused: broken.has(rule) })),
    };
  }

  private count(operation: RoutedOperation, status: number): void {
    let counts = this.outcomes.get(operation);
    if (!counts) this.outcomes.set(operation, (counts = {}));
    counts[status] = (counts[status] ?? 0) + 1;
    if (counts[status] === 1) this.publish(`operation ${operation.name} ${status}`);
  }

  private noteSeen(spec: RoutedOperation["spec"]): ObservedParts {
    let seen = this.kinds.get(spec);
    if (!seen) {
      const { message, outputs } = spec.fields;
      this.kinds.set(
        spec,
        (seen = {
          sent: fieldsIn(message, "outputOnly"),
          answered: fieldsIn([...message, ...outputs], "inputOnly"),
          states: new Set(),
          broken: new Set(),
        }),
      );
    }
    return seen;
  }

  /**
   * Inspects each object once. Messages of custom verbs have their own shape: only their members' names are reported.
   */
  private inspect(
    { spec, verb, name }: RoutedOperation,
    what: "sent" | "answered",
    places: readonly FieldCoverage[],
    message: unknown,
  ): void {
    if (!isObject(message) || this.inspected.has(message)) return;
    this.inspected.add(message);
    if (!ordinary.has(verb)) for (const member of Object.keys(message)) this.publish(`${what} ${name} ${member}`);
    for (const place of places)
      visit(place, message[place.field.name], (path) => this.publish(`${what} ${spec.kind} ${path}`));
    if (what === "sent") return;
    for (const state of stateNames.map((each) => message[each])) {
      if (typeof state !== "string" || this.noteSeen(spec).states.has(state)) continue;
      this.noteSeen(spec).states.add(state);
      this.publish(`state ${spec.kind} ${state}`);
    }
  }

  private publish(item: string): void {
    if (!served.hasSubscribers || this.published.has(item)) return;
    this.published.add(item);
    served.publish(item);
  }
}

const verbsWithBody: ReadonlySet<string> = new Set(["create", "update"]);

const ordinary: ReadonlySet<string> = new Set([...verbsWithBody, "get", "list", "delete"]);

const within = (place: FieldCoverage): FieldCoverage[] => [place, ...place.inner.flatMap(within)];
