import { z } from 'zod';

/**
 * The part of Envoy's API (v3) that `docs/gateways/envoy.yaml` may use, by its definitions as of 1.37: names, types, and
 * which fields exclude each other. A field that is not here is refused: look it up in the definitions before adding it.
 */

const TYPE = 'type.googleapis.com/';
const duration = z.string().regex(/^\d+(\.\d+)?s$/);
const name = z.string().min(1);
const headerName = z.string().regex(/^[a-z0-9-]+$/);

/** A message of a `google.protobuf.Any`. */
const any = <T extends z.ZodRawShape>(type: string, fields: T) =>
  z.strictObject({ '@type': z.literal(`${TYPE}${type}`), ...fields });

/** `envoy.type.matcher.v3.StringMatcher`: one of its patterns. */
const stringMatcher = z
  .strictObject({ exact: name, prefix: name, suffix: name, contains: name, ignore_case: z.boolean() })
  .partial()
  .refine(({ ignore_case: _, ...patterns }) => Object.keys(patterns).length === 1, 'exactly one pattern');
const stringMatchers = z.strictObject({ patterns: z.array(stringMatcher).min(1) });

const address = z.strictObject({
  socket_address: z.strictObject({ address: name, port_value: z.int().min(1).max(65_535) }),
});

const extAuthz = any('envoy.extensions.filters.http.ext_authz.v3.ExtAuthz', {
  transport_api_version: z.literal('V3'),
  failure_mode_allow: z.boolean(),
  status_on_error: z.strictObject({ code: z.int().min(400).max(599) }),
  allowed_headers: stringMatchers,
  http_service: z.strictObject({
    server_uri: z.strictObject({ uri: z.url(), cluster: name, timeout: duration }),
    path_prefix: z.string().startsWith('/'),
    authorization_request: z.strictObject({
      headers_to_add: z.array(z.strictObject({ key: headerName, value: z.string() })),
    }),
    authorization_response: z
      .strictObject({
        allowed_upstream_headers: stringMatchers,
        allowed_client_headers: stringMatchers,
        allowed_client_headers_on_success: stringMatchers,
      })
      .partial(),
  }),
});

const httpFilter = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('envoy.filters.http.ext_authz'), typed_config: extAuthz }),
  z.strictObject({
    name: z.literal('envoy.filters.http.router'),
    typed_config: any('envoy.extensions.filters.http.router.v3.Router', {}),
  }),
]);

const virtualHost = z.strictObject({
  name,
  domains: z.array(name).min(1),
  request_headers_to_remove: z.array(headerName),
  response_headers_to_remove: z.array(headerName),
  routes: z.array(
    z.strictObject({
      match: z.strictObject({ prefix: z.string() }),
      route: z.strictObject({ cluster: name, timeout: duration, idle_timeout: duration }),
    }),
  ),
});

const connectionManager = any('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
  stat_prefix: name,
  use_remote_address: z.boolean(),
  normalize_path: z.boolean(),
  merge_slashes: z.boolean(),
  upgrade_configs: z.array(z.strictObject({ upgrade_type: name })),
  http_filters: z.array(httpFilter).min(1),
  route_config: z.strictObject({ virtual_hosts: z.array(virtualHost) }),
});

const tls = any('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
  sni: z.string().max(255),
  common_tls_context: z.strictObject({
    validation_context: z.strictObject({
      trusted_ca: z.strictObject({ filename: name }),
      match_typed_subject_alt_names: z.array(z.strictObject({ san_type: z.literal('DNS'), matcher: stringMatcher })),
    }),
  }),
});

const cluster = z.strictObject({
  name,
  connect_timeout: duration,
  type: z.enum(['STATIC', 'STRICT_DNS']),
  transport_socket: z.strictObject({ name: z.literal('envoy.transport_sockets.tls'), typed_config: tls }).optional(),
  load_assignment: z.strictObject({
    cluster_name: name,
    endpoints: z.array(
      z.strictObject({ lb_endpoints: z.array(z.strictObject({ endpoint: z.strictObject({ address }) })) }),
    ),
  }),
});

/** `envoy.config.bootstrap.v3.Bootstrap`. */
export const EnvoySchema = z.strictObject({
  static_resources: z.strictObject({
    listeners: z.array(
      z.strictObject({
        name,
        address,
        filter_chains: z.array(
          z.strictObject({
            filters: z.array(
              z.strictObject({
                name: z.literal('envoy.filters.network.http_connection_manager'),
                typed_config: connectionManager,
              }),
            ),
          }),
        ),
      }),
    ),
    clusters: z.array(cluster),
  }),
});
