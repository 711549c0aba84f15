import { resolve } from "node:path";
import { notificationFormats, notificationForms } from "../../drift/notify/forms";
import { type Notice, type NotificationForm, noticeOf } from "../../drift/notify/notice";
import { Outbox, type Taken, type Tidings } from "../../drift/notify/outbox";
import { deliver, parseWebhook, UndeliveredError, type Webhook } from "../../drift/notify/webhook";
import type { DriftReport } from "../../drift/scan/document";
import { openDriftIn } from "../../drift/scan/finding-document";
import type { Destination, Owners } from "../../drift/scan/owners";
import { withExitCode } from "../../drift/scan/result";
import { printable, printableJson } from "../../io/text/printable";
import { messageOf } from "../../provider/core/errors";
import type { CliContext } from "../command/context";
import { interruptible, usageError } from "../command/failure";
import type { NotifyFlags, ReportFlags } from "./flags";
import type { ScanNews } from "./scan-history";

/** Tells others what is new, worse or gone. */
export interface Notifier {
  /**
   * Keeps what there is to tell before the history has it, so that whatever fails meanwhile loses none of it. Never
   * throws: `tell` warns.
   */
  keep(news: ScanNews): void;
  /** Tells what is kept. Never fails because of a receiver: a warning says why it has not been told. */
  tell(recorded: ScanNews): Promise<void>;
}

/** Somebody who is told. */
interface Receiver {
  /** By which unsent messages are kept for it. */
  to: string;
  webhook: Webhook;
  form: NotificationForm;
  secret: string | undefined;
  /** Its team; undefined for the receiver of everything that goes to no team. */
  owner?: string;
  takes(owner: string | undefined): boolean;
}

/** What there is to tell a receiver. */
interface Parcel {
  receiver: Receiver;
  tidings: Tidings;
  /** What its message is headed by. */
  report: DriftReport;
}

type Flags = NotifyFlags & Pick<ReportFlags, "history">;

/** Throws where flags or owners name no webhook that messages could go to: a scan is long, to learn it afterwards. */
export function openNotifier(flags: Flags, owners: Owners | undefined, context: CliContext): Notifier {
  const outbox = new Outbox(resolve(context.cwd, flags.history!), context.time);
  const receivers = receiversOf(flags, owners, context);
  /** Why something is not kept, by receiver. */
  const unkept = new Map<string, string>();
  return {
    keep: (news) => {
      if (flags.notifyDryRun) return;
      for (const receiver of receivers)
        try {
          outbox.keep(tidingsFor(receiver, news));
        } catch (error) {
          unkept.set(receiver.to, messageOf(error));
        }
    },
    tell: async (recorded) => {
      const parcels = receivers.map((receiver) => parcelFor(receiver, recorded));
      if (flags.notifyDryRun) {
        for (const parcel of parcels) context.stderr.write(wouldSend(parcel, outbox));
        return;
      }
      const warnings = await interruptible(context, {
        message: "interrupted; the report stands, and what was not sent is sent by the next run",
        run: (signal) => Promise.all(parcels.map((parcel) => tell(parcel, { outbox, unkept, context, signal }))),
      });
      for (const warning of warnings.flat()) context.stderr.write(warningText(warning));
    },
  };
}

const warningText = (warning: string): string => `warning: ${printable(warning)}\n`;

/** Why something has failed; undefined where it has not. */
const reasonOf = (work: Promise<unknown>): Promise<string | undefined> => work.then(() => undefined, messageOf);

function receiversOf(flags: Flags, owners: Owners | undefined, context: CliContext): Receiver[] {
  const { notify, notifyFormat = "cloudevents", notifySecretEnv, notifyOwners = false } = flags;
  const destinations = notifyOwners ? [...(owners?.destinations ?? [])] : [];
  const teams = new Set(destinations.map(([team]) => team));
  const ofTeams = destinations.map(([team, destination]) => ofTeam(team, destination, context));
  if (notify === undefined) return ofTeams;
  const webhook = parseWebhook(notify, (reason) => {
    throw usageError(`The address of --notify ${reason}. Give an https URL; http is for this machine only.`);
  });
  const secret =
    notifySecretEnv === undefined
      ? undefined
      : variable(
          notifySecretEnv,
          "--notify-secret-env takes the name of an environment variable, and none of that name is set.",
          context,
        );
  const form = notificationForms[notifyFormat];
  return [
    ...ofTeams,
    { to: "--notify", webhook, form, secret, takes: (owner) => owner === undefined || !teams.has(owner) },
  ];
}

function ofTeam(team: string, destination: Destination, context: CliContext): Receiver {
  const { notifyEnv, notifyFormat: format = "cloudevents", notifySecretEnv } = destination;
  const notifyFormat = notificationFormats.find((each) => each === format);
  if (notifyFormat === undefined)
    throw usageError(
      `The file of owners has ${team} told in the form ${JSON.stringify(format)}; there are ${notificationFormats.join(", ")}.`,
    );
  const unset = (name: string): string =>
    `The file of owners has ${team} told by \`${name}\`, and no environment variable of that name is set.`;
  const webhook = parseWebhook(variable(notifyEnv, unset(notifyEnv), context), (reason) => {
    throw usageError(`The address in ${notifyEnv} ${reason}. Set an https URL; http is for this machine only.`);
  });
  return {
    to: `owner ${team}`,
    webhook,
    form: notificationForms[notifyFormat],
    secret: notifySecretEnv === undefined ? undefined : variable(notifySecretEnv, unset(notifySecretEnv), context),
    owner: team,
    takes: (owner) => owner === team,
  };
}

function variable(name: string, problem: string, { env }: CliContext): string {
  const value = env[name] ?? "";
  if (value === "") throw usageError(problem);
  return value;
}

/** A team is told what is true of its findings; the receiver of the rest, what is true of all, and who is told. */
function parcelFor(receiver: Receiver, recorded: ScanNews): Parcel {
  const { report } = recorded;
  const tidings = tidingsFor(receiver, recorded);
  const findings = [...tidings.findings];
  const isOfAll = receiver.owner === undefined;
  return { receiver, tidings, report: isOfAll ? report : withExitCode({ ...report, missing: undefined, findings }) };
}

/** The part of a scan that goes to the receiver, and nothing of what goes to others. */
function tidingsFor({ to, owner: team, takes }: Receiver, { report, delta, history }: ScanNews): Tidings {
  const { scan } = history.scans.at(-1)!;
  const isFor = ({ owner }: { owner?: string | undefined }): boolean => takes(owner);
  const handedOver = delta.handedOver.filter(({ from }) => !takes(from)).map(({ finding }) => finding);
  return {
    to,
    id: team === undefined ? scan : `${scan}.${team}`,
    news: {
      found: [...delta.found, ...handedOver].filter(isFor),
      worse: delta.worse.filter(isFor),
      resolved: delta.resolved.filter(isFor),
      // Of what is missing nobody knows whose it is.
      missing: team === undefined ? delta.missing : undefined,
    },
    findings: report.findings.filter(isFor),
    history,
  };
}

function noticeIn({ receiver: { owner, takes }, report }: Parcel, taken: Taken | undefined): Notice | undefined {
  const left = owner === undefined ? openDriftIn(report).filter((finding) => !takes(finding.owner)).length : 0;
  return taken && noticeOf(report, taken, { owner, left });
}

const nameOf = ({ owner, webhook }: Receiver): string =>
  owner === undefined ? webhook.displayUrl : `${owner} at ${webhook.displayUrl}`;

function wouldSend(parcel: Parcel, outbox: Outbox): string {
  const { receiver, tidings } = parcel;
  let warning = "";
  let taken: Taken | undefined = tidings;
  try {
    taken = outbox.look(tidings);
  } catch (error) {
    warning = warningText(messageOf(error));
  }
  const notice = noticeIn(parcel, taken);
  const text = notice
    ? `Would send to ${nameOf(receiver)}:\n${printableJson(receiver.form.bodyOf(notice), 2)}\n`
    : `Would send nothing${receiver.owner === undefined ? "" : ` to ${receiver.owner}`}: nothing is new, worse or resolved.\n`;
  return `${warning}${text}`;
}

interface Delivery {
  outbox: Outbox;
  unkept: ReadonlyMap<string, string>;
  context: CliContext;
  signal: AbortSignal;
}

/** Tells one receiver, and resolves to the warnings about that. */
async function tell(parcel: Parcel, { outbox, unkept, context, signal }: Delivery): Promise<string[]> {
  const { receiver, tidings } = parcel;
  const { webhook, form, secret, owner } = receiver;
  const { env, time } = context;
  const unkeptReason = unkept.get(receiver.to);
  const isKept = unkeptReason === undefined;
  const notSent = (why: string): string =>
    `no notification was sent${owner === undefined ? "" : ` to ${owner}`}: ${why}. ${isKept ? "The next run with this history sends it." : "The report and the history have it."}`;
  const notKept = (why: string): string => `what ${nameOf(receiver)} has not been told is not kept: ${why}`;
  const warnings = isKept ? [] : [notKept(unkeptReason)];
  let taken: Taken | undefined = tidings;
  try {
    if (isKept) taken = await outbox.take(tidings);
  } catch (error) {
    return [notSent(messageOf(error))];
  }
  const notice = noticeIn(parcel, taken);
  if (!taken || !notice) return warnings;
  const message = { id: notice.id, contentType: form.contentType, body: printableJson(form.bodyOf(notice)) };
  const failure = await deliver(webhook, message, secret, { env, time, signal }).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof UndeliveredError)) throw error;
      return error.message;
    },
  );
  const unsettled = isKept ? await reasonOf(outbox.settle(tidings, taken, failure === undefined)) : undefined;
  if (unsettled !== undefined) warnings.push(notKept(unsettled));
  if (failure !== undefined) warnings.unshift(notSent(`POST ${webhook.displayUrl} ${failure}`));
  return warnings;
}
