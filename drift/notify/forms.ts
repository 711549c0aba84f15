import type { NotificationForm } from "./form";

/** By the name that `--notify-format` takes; each is loaded when it is first asked for. */
export const notificationForms = {
  get cloudevents() {
    return (require("./cloudevents") as typeof import("./cloudevents")).cloudevents;
  },
  get slack() {
    return (require("./slack") as typeof import("./slack")).slack;
  },
  get teams() {
    return (require("./teams") as typeof import("./teams")).teams;
  },
} satisfies Readonly<Record<string, NotificationForm>>;

export type NotificationFormat = keyof typeof notificationForms;

export const notificationFormats = Object.keys(notificationForms) as NotificationFormat[];
