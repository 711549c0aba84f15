import type { Notice } from "./notice";

/** A form of message that a receiver understands. */
export interface NotificationForm {
  contentType: string;
  /** The document that is sent as JSON. */
  bodyOf(notice: Notice): object;
}
