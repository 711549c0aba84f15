import { changesBetween, type DiffAnswer, diffAnswer, type FieldChange } from "../../core/comparison/diff";
import { isIgnored } from "../../core/comparison/ignored-paths";
import { recordsIn } from "../../core/declaration/own-records";
import { accountOf } from "../../core/values/names";
import { containsUnknown } from "../../core/values/unknowns";
import { leftOverText } from "../creation/left-over";
import { refuseToReplaceProtected } from "../deletion/protection";
import { refuseOtherEndpoint } from "../identity/endpoint";
import { type ComparedResource, type ResourceOperation, titleOf } from "../operation/operation";
import { writeHeld } from "../ownership/facts";
import { findFormer } from "../ownership/former";
import { isRecreated } from "../ownership/ownership";
import type { DiffView } from "../run/views";
import { unchangedBy } from "../sources/digests";
import { valuesAtHand } from "../sources/secret-source";
import type { Comparison } from "../types";
import { uploadChanges } from "../uploads/upload";
import { withDeviations } from "./acceptance";
import { announceRun, announceUnseen } from "./announcements";
import { changesIfForeign } from "./foreign-object";
import { afterwards, refuseLoosening } from "./loosening";
import { refuseRecreated } from "./recreated";
import { refuseInPlaceOfAdopted, refuseReplacement } from "./replaceable";

/**
 * The diff of a refresh: what was read a moment ago and no state holds yet, against the inputs that a state has.
 * Nothing is refused or learnt. With unknowns it belongs to a deletion, whose reach the engine works out.
 */
export async function diffOfRefresh(compared: ComparedResource): Promise<Comparison> {
  const { spec, inputs } = compared;
  const found = await differences(compared);
  const isRefresh = !containsUnknown(inputs);
  return { ...withDeviations(compared, diffAnswer(spec, found, inputs), isRefresh), found };
}

interface ComparedByProgram extends ComparedResource {
  resource: DiffView;
}

/** The diff of a program: what a state holds, against what the program declares. Refuses what must not be changed. */
export async function diffOfProgram(
  compared: ComparedByProgram,
  begin: () => Promise<ResourceOperation>,
): Promise<Comparison> {
  const { ports, spec, call, id, outputs, inputs, resource } = compared;
  const held = { ...call.hidden, spec, id, outputs, at: ports.clock.now() };
  const leftOver = await writeHeld(ports.journal, held);
  const changes = (await differences(compared)).map((change) => asEngineSees(resource, change));
  if (spec.singleton && !containsUnknown(inputs)) {
    const after = afterwards(spec, outputs, inputs, recordsIn(outputs).managedFields);
    refuseLoosening(spec, { before: outputs, after }, inputs);
  }
  if (!containsUnknown(inputs)) await nameFormer(compared, begin);
  const lost = await changesIfForeign(compared, begin);
  const found = [...changes, ...lost];
  const answer = withDeviations(compared, diffAnswer(spec, found, inputs));
  if (lost.length === 0) await refuse(compared, changes, answer, begin);
  announceRun(compared, answer);
  announceUnseen(spec, call, changes, inputs);
  resource.conclude(id, inputs, answer);
  if (answer.changes === false && leftOver !== undefined) call.reporter.warn(leftOverText(spec, leftOver));
  return { ...answer, found };
}

/** What this declaration has had since: the state at hand is older than it, and no create would name it. */
async function nameFormer({ call, id }: ComparedResource, begin: () => Promise<ResourceOperation>): Promise<void> {
  const operation = await begin();
  const former = await findFormer(operation);
  if (!former || former.isContinued) return;
  call.reporter.warn(
    `${titleOf(operation, former.live.name)} was this resource later than ${id}: the state is older than it, and does not record it. To have it back, \`state delete\` this resource and import it.`,
  );
}

/**
 * Whether the engine, which compares inputs, has to learn of a change: where an input is another one, it names that
 * itself, and applies the program's `replaceOnChanges` to it.
 */
const asEngineSees = (resource: DiffView, { beneathInputs, ...change }: FieldChange): FieldChange =>
  beneathInputs && !resource.isEdited(change.property) ? { ...change, beneathInputs } : change;

async function refuse(
  compared: ComparedByProgram,
  changes: readonly FieldChange[],
  answer: DiffAnswer,
  begin: () => Promise<ResourceOperation>,
): Promise<void> {
  const { spec, id, outputs, inputs } = compared;
  refuseReplacement(spec, id, changes, inputs);
  refuseInPlaceOfAdopted(spec, id, outputs, answer);
  refuseToReplaceProtected(compared, compared.resource, changes);
  const seen = { ...outputs, name: id };
  if (isUpdate(answer) && isRecreated(spec, outputs, seen) && !containsUnknown(inputs))
    await refuseRecreated(await begin(), outputs, seen, inputs);
}

const isUpdate = ({ changes, replaces }: DiffAnswer): boolean => changes !== false && replaces.length === 0;

/** A recorded value that an engine gives for what the program ignores says nothing of what it accepts. */
const acceptsIgnored = ({ call }: ComparedResource, { effect, beneathInputs, path }: FieldChange): boolean =>
  effect === "record" && beneathInputs === true && isIgnored(path, call.hidden.ignoreChanges ?? []);

/** Everything that differs, in what is recorded and in what is on this machine. */
async function differences(compared: ComparedResource): Promise<FieldChange[]> {
  const { ports, spec, id, outputs, inputs } = compared;
  const { origin } = await ports.objects(spec.kind, String(recordsIn(outputs).accountId ?? accountOf(id)));
  refuseOtherEndpoint(`${spec.kind} ${id}`, outputs, origin, ports.allowEndpointChange);
  const changes = changesBetween(spec, outputs, inputs, unchangedBy(await valuesAtHand(ports, inputs)));
  return [...changes.filter((change) => !acceptsIgnored(compared, change)), ...(await uploadChanges(compared))];
}
