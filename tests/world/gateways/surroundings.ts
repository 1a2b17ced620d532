import { type Product, startProduct } from '../../fixtures/product';
import { type Application, startApplication } from './application';

/** An application, and a Sluice that decides for gateways beside it, and is a proxy behind others. */
export interface Surroundings {
  product: Product;
  application: Application;
  /** Of the role gateway. */
  token: string;
  /** With which the product was started. */
  env: Record<string, string>;
}

/** Starts both; `/login` is of the class `auth`, and so is `/sign-in`, where only failures count. */
export async function startSurroundings(more: Record<string, string> = {}): Promise<Surroundings> {
  const application = await startApplication();
  const upstream = `http://127.0.0.1:${application.port}`;
  const env = { SLUICE_UPSTREAM: upstream, SLUICE_TRUSTED_PROXIES: '127.0.0.1', ...more };
  const product = await startProduct({ env });
  await product.admin('PUT', '/v1/admin/route-rules', [
    { method: '*', path: '/login', class: 'auth', cost: 1 },
    { method: 'POST', path: '/sign-in', class: 'auth', counts: 'failures' },
  ]);
  return { product, application, token: await newToken(product, 'gateway'), env };
}

export async function newToken(product: Product, role: string): Promise<string> {
  const response = await product.admin('POST', '/v1/admin/tokens', { name: role, role });
  return ((await response.json()) as { token: string }).token;
}
