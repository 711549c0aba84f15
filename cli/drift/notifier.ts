import { resolve } from "node:path";
import { notificationFormats, notificationForms } from "../../drift/notify/forms";
import { type Notice, type NotificationForm, noticeOf } from "../../drift/notify/notice";
import { Outbox, type Taken, type Tidings } from "../../drift/notify/outbox";
import { deliver, parseWebhook, UndeliveredError, type Webhook } from "../../drift/notify/webhook";
import type { DriftReport } from "../../drift/scan/document";
import type { Destination, Owners } from "../../drift/scan/owners";
import { withExitCode } from "../../drift/scan/result";
import { printable, printableJson } from "../../io/text/printable";
import { messageOf } from "../../provider/core/errors";
import type { CliContext } from "../command/context";
import { interruptible, usageError } from "../command/failure";
import type { NotifyFlags, ReportFlags } from "./flags";
import type { KnownReport } from "./scan-history";

/** Tells others what is new, worse or gone. */
export interface Notifier {
  /** Never fails because of a receiver: a warning says why it has not been told. */
  notify(recorded: KnownReport): Promise<void>;
}

/** Somebody who is told. */
interface Receiver {
  /** By which unsent messages are kept for it. */
  to: string;
  webhook: Webhook;
  form: NotificationForm;
  secret: string | undefined;
  /** The team that it is of; undefined where it is told of what no team's receiver is. */
  owner?: string;
  takes(owner: string | undefined): boolean;
}

type Flags = NotifyFlags & Pick<ReportFlags, "history">;

/** Throws where flags or owners name no webhook that messages could go to: a scan is long, to learn it afterwards. */
export function openNotifier(flags: Flags, owners: Owners | undefined, context: CliContext): Notifier {
  const outbox = new Outbox(resolve(context.cwd, flags.history!), context.time);
  const receivers = receiversOf(flags, owners, context);
  return {
    notify: async (recorded) => {
      if (flags.notifyDryRun) {
        for (const receiver of receivers)
          context.stderr.write(wouldSend(receiver, tidingsFor(receiver, recorded), outbox));
        return;
      }
      const warnings = await interruptible(context, {
        message: "interrupted; the report stands, and what was not sent is sent by the next run",
        run: (signal) =>
          Promise.all(
            receivers.map((receiver) => tell(receiver, tidingsFor(receiver, recorded), { outbox, context, signal })),
          ),
      });
      for (const warning of warnings.flat()) context.stderr.write(warningText(warning));
    },
  };
}

const warningText = (warning: string): string => `warning: ${printable(warning)}\n`;

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

/** What of a scan is for the receiver. Somebody who is told of a part hears of the others nothing. */
function tidingsFor({ to, owner: team, takes }: Receiver, { report, delta, history }: KnownReport): Tidings {
  const { scan } = history.scans.at(-1)!;
  const isFor = ({ owner }: { owner?: string | undefined }): boolean => takes(owner);
  const handedOver = delta.handedOver.filter(({ from }) => !takes(from)).map(({ finding }) => finding);
  // Of what is missing nobody knows whose it is.
  const missing = team === undefined ? report.missing : undefined;
  return {
    to,
    id: team === undefined ? scan : `${scan}.${team}`,
    news: {
      found: [...delta.found, ...handedOver].filter(isFor),
      worse: delta.worse.filter(isFor),
      resolved: delta.resolved.filter(isFor),
      missing: missing && delta.missing,
    },
    report: withExitCode({ ...report, missing, findings: report.findings.filter(isFor) }),
    history,
  };
}

const noticeIn = ({ owner }: Receiver, report: DriftReport, taken: Taken | undefined): Notice | undefined =>
  taken && noticeOf(report, taken.news, taken.id, owner);

const nameOf = ({ owner, webhook }: Receiver): string =>
  owner === undefined ? webhook.displayUrl : `${owner} at ${webhook.displayUrl}`;

function wouldSend(receiver: Receiver, tidings: Tidings, outbox: Outbox): string {
  let warning = "";
  let taken: Taken | undefined = tidings;
  try {
    taken = outbox.look(tidings);
  } catch (error) {
    warning = warningText(messageOf(error));
  }
  const notice = noticeIn(receiver, tidings.report, taken);
  const text = notice
    ? `Would send to ${nameOf(receiver)}:\n${printableJson(receiver.form.bodyOf(notice), 2)}\n`
    : `Would send nothing${receiver.owner === undefined ? "" : ` to ${receiver.owner}`}: nothing is new, worse or resolved.\n`;
  return `${warning}${text}`;
}

interface Delivery {
  outbox: Outbox;
  context: CliContext;
  signal: AbortSignal;
}

/** Tells one receiver, and resolves to the warnings about that. */
async function tell(receiver: Receiver, tidings: Tidings, { outbox, context, signal }: Delivery): Promise<string[]> {
  const { webhook, form, secret } = receiver;
  const warnings: string[] = [];
  const unkept = (error: unknown): undefined => {
    warnings.push(`what ${nameOf(receiver)} has not been told is not kept: ${messageOf(error)}`);
  };
  const { env, time } = context;
  const untaken = { id: tidings.id, news: tidings.news };
  let isKept = true;
  const taken = await outbox.take(tidings).catch((error: unknown) => {
    isKept = false;
    unkept(error);
    return untaken;
  });
  const notice = noticeIn(receiver, tidings.report, taken);
  if (!taken || !notice) return warnings;
  const message = { id: notice.id, contentType: form.contentType, body: printableJson(form.bodyOf(notice)) };
  const failure = await deliver(webhook, message, secret, { env, time, signal }).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof UndeliveredError)) throw error;
      return error.message;
    },
  );
  if (isKept) await outbox.settle(tidings, taken, failure === undefined).catch(unkept);
  if (failure !== undefined)
    warnings.unshift(
      `no notification was sent${receiver.owner === undefined ? "" : ` to ${receiver.owner}`}: POST ${webhook.displayUrl} ${failure}. ${isKept ? "The next run with this history sends it." : "The report and the history have it."}`,
    );
  return warnings;
}
