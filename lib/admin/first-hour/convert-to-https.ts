import type { Gateway } from '@/lib/contract/first-hour';

/** Certificate authorities on Debian, Ubuntu and Alpine. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const APACHE_RELAY = '127.0.0.1:8043';

/** Adds what each gateway needs to reach Sluice over TLS with a verified certificate. */
const ADDITIONS: Readonly<Record<Gateway, (text: string, host: string) => string>> = {
  nginx: (text, host) =>
    text.replace(
      /^( *)proxy_pass http:\/\/sluice(.*)$/m,
      [
        '$1proxy_pass https://sluice$2',
        `$1proxy_set_header Host ${host};`,
        '$1proxy_ssl_server_name on;',
        `$1proxy_ssl_name ${host};`,
        '$1proxy_ssl_verify on;',
        `$1proxy_ssl_trusted_certificate ${AUTHORITIES};`,
      ].join('\n'),
    ),
  caddy: (text, host) =>
    text.replace(/^(\t*)forward_auth (.*) \{$/m, `$1forward_auth https://$2 {\n$1\theader_up Host ${host}`),
  haproxy: (text, host) =>
    text
      .replace(/^( *)option httpchk GET \/healthz$/m, `$&\n$1http-check send hdr Host ${host}`)
      .replace(
        /^( *)server sluice (\S+) check/m,
        `$1http-request set-header Host ${host}\n$1server sluice $2 ssl verify required ca-file @system-ca sni str(${host}) check check-sni ${host}`,
      ),
  // The Lua script sends only plain HTTP, so it calls a local port, and Apache forwards that over TLS.
  apache: (text) =>
    `${text.replace('SLUICE_ADDRESS=127.0.0.1:3000', `SLUICE_ADDRESS=${APACHE_RELAY}`)}${[
      '',
      '# apache.lua asks here, because it speaks plain HTTP; this asks Sluice over TLS.',
      `Listen ${APACHE_RELAY}`,
      `<VirtualHost ${APACHE_RELAY}>`,
      '  SSLProxyEngine on',
      '  SSLProxyVerify require',
      `  SSLProxyCACertificateFile ${AUTHORITIES}`,
      '  ProxyAddHeaders Off',
      '  ProxyPass / https://127.0.0.1:3000/ connectiontimeout=1 timeout=5 retry=0 ttl=30',
      '</VirtualHost>',
      '',
    ].join('\n')}`,
  // Traefik configures an origin, which names the scheme already.
  traefik: (text) => text,
  envoy: (text, host) =>
    text.replace(
      /^( *)- name: sluice\n(.*\n)( *)type: (\S+)$/m,
      [
        '$&',
        '$3transport_socket:',
        '$3  name: envoy.transport_sockets.tls',
        '$3  typed_config:',
        '$3    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
        `$3    sni: ${host}`,
        '$3    common_tls_context:',
        '$3      validation_context:',
        `$3        trusted_ca: { filename: ${AUTHORITIES} }`,
        `$3        match_typed_subject_alt_names: [{ san_type: DNS, matcher: { exact: ${host} } }]`,
      ].join('\n'),
    ),
};

/** Converts a configuration from plain HTTP to TLS. @param host of the origin */
export function convertToHttps(gateway: Gateway, text: string, host: string): string {
  return ADDITIONS[gateway](text, host);
}
