import type { NotificationForm } from "./form";

/** CloudEvents 1.0 in structured mode: the event as one JSON document. */
export const cloudevents: NotificationForm = {
  contentType: "application/cloudevents+json; charset=utf-8",
  bodyOf: ({ id, time, tool, headline, scope, sections }) => ({
    specversion: "1.0",
    id,
    source: "urn:modelplatform:drift",
    type: "modelplatform.drift.news",
    time,
    datacontenttype: "application/json",
    data: {
      schemaVersion: 1,
      tool,
      headline,
      scope,
      ...Object.fromEntries(
        sections.map(({ kind, count, entries, omitted }) => [kind, { count, causes: entries, omitted }]),
      ),
    },
  }),
};
