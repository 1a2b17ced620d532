/** A scope that no server has. */
export const UNREGISTERED_SCOPE = 'sluice_unregistered_scope';
