/** HTTP methods, as options of a select. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((value) => ({
  value,
  label: value,
}));
