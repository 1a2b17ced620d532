import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ExportResult, ExportResultCode, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { OpenTelemetry } from '@/lib/tracing/open-telemetry';
import type { Tracing } from '@/lib/tracing/tracing';
import type { Millis } from '@/lib/units';

interface StartOptions {
  protocol: 'http/protobuf' | 'http/json';
  version: string;
  hide: (text: string) => string;
  /** Makes every request of an agent end within a time. */
  boundAgent: (agent: Agent, time: Millis) => Agent;
  /** Receives the result of each attempt to send spans. */
  outage: { recordFailure(error: unknown): void; recordSuccess(): void };
  /** Receives the SDK's complaints about settings and dropped spans. */
  warn: (reason: string) => void;
}

/** Longest wait for the collector at a stop. `server/connections.mjs` leaves a second. */
const LAST_FLUSH: Millis = 900;

/**
 * Starts the SDK, which reads its other settings from the environment: endpoint, headers, sampler, limits, resource.
 * This module is loaded only if traces are on.
 */
export function startTracing({ protocol, version, hide, boundAgent, outage, warn }: StartOptions): Tracing {
  const ignoreCall = () => undefined;
  let isSending = true;
  const logger = {
    recordFailure: (error: unknown) => {
      isSending = false;
      outage.recordFailure(error);
    },
    recordSuccess: () => {
      isSending = true;
      outage.recordSuccess();
    },
  };
  // While nothing is sent, the SDK repeatedly reports the number of dropped spans. These reports are ignored.
  const report = (...words: unknown[]) => {
    if (isSending) warn(words.filter((word) => typeof word === 'string').join(' '));
  };
  diag.setLogger(
    { error: report, warn: report, info: ignoreCall, debug: ignoreCall, verbose: ignoreCall },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  // The handler drops failed exports, because `outage` reports them.
  setGlobalErrorHandler(ignoreCall);
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'sluice',
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
  // As the exporter reads them from the environment: time-out and certificates.
  const { agentFactory, timeoutMillis } = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', {});
  const settings = {
    httpAgentOptions: async (scheme: string) => boundAgent(await agentFactory(scheme), timeoutMillis),
  };
  const exporter = protocol === 'http/json' ? new JsonExporter(settings) : new ProtobufExporter(settings);
  const processor = new BatchSpanProcessor(observeExporter(exporter, logger));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  return new OpenTelemetry({
    tracer: provider.getTracer('sluice', version),
    contexts: new AsyncLocalStorageContextManager().enable(),
    hide,
    close: () => Promise.race([provider.shutdown().catch(ignoreCall), wait(LAST_FLUSH)]),
  });
}

/** Wraps an exporter, and reports the result of each export to `outage`. */
function observeExporter(exporter: SpanExporter, outage: StartOptions['outage']): SpanExporter {
  return {
    export: (spans: ReadableSpan[], done: (result: ExportResult) => void) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) outage.recordSuccess();
        else outage.recordFailure(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
