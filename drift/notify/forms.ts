import type { NotificationForm } from "./notice";

/** By the name that `--notify-format` takes; loaded on first use. */
export const notificationForms = {
  get cloudevents() {
    return cloudevents;
  },
  get slack() {
    return (require("./chat-messages") as typeof import("./chat-messages")).slack;
  },
  get teams() {
    return (require("./chat-messages") as typeof import("./chat-messages")).teams;
  },
} satisfies Readonly<Record<string, NotificationForm>>;

type NotificationFormat = keyof typeof notificationForms;

export const notificationFormats = Object.keys(notificationForms) as NotificationFormat[];

/** CloudEvents 1.0 in structured mode: the event as one JSON document. */
const cloudevents: NotificationForm = {
  contentType: "application/cloudevents+json; charset=utf-8",
  bodyOf: ({ id, time, tool, subject, owner, headline, scope, run, sections }) => ({
    specversion: "1.0",
    id,
    source: `urn:modelplatform:${subject}`,
    type: `modelplatform.${subject}.news`,
    time,
    datacontenttype: "application/json",
    data: {
      schemaVersion: 1,
      tool,
      headline,
      scope,
      ...(run !== undefined && { run }),
      ...(owner !== undefined && { owner }),
      ...Object.fromEntries(
        sections.map(({ kind, count, entries, omitted }) => [kind, { count, causes: entries, omitted }]),
      ),
    },
  }),
};
