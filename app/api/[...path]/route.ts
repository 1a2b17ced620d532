import { noSuchRoute } from '@/lib/http/no-such-route';

export const dynamic = 'force-dynamic';

export {
  noSuchRoute as DELETE,
  noSuchRoute as GET,
  noSuchRoute as HEAD,
  noSuchRoute as OPTIONS,
  noSuchRoute as PATCH,
  noSuchRoute as POST,
  noSuchRoute as PUT,
};
