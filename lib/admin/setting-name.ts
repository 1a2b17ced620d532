/** The name of the alert settings among `settings`. */
export const ALERTS_SETTING = 'alerts';
