/**
 * Private key of the lab's client `demo-key`. It is public, so that anyone can try `private_key_jwt` and signed
 * requests (RFC 7523, RFC 9101). It is valid only in the lab.
 */
export const DEMO_KEY = {
  kty: 'EC',
  crv: 'P-256',
  alg: 'ES256',
  kid: 'demo-key',
  x: 'fGceXjnNXuwBGYaQiRIy77EIQ1NmVMoyU9kygBYLtSs',
  y: 'GEeNBCWTyzyIQSO8gvMLiot1NEft7VTyaRYrr_qLeXk',
  d: 'yc1D7wWw6RbHDJif0fA_696ehvRaZJcsaumbOP6wJWI',
} as const;
