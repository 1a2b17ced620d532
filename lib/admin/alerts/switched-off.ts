/** Why all alerts of an event are resolved when its settings say so. */
export const SWITCHED_OFF = 'Alerts of this kind were switched off.';
