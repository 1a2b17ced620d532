import { OpenApiModel } from '@/components/docs/openapi-model';
import { openApiText } from '@/lib/openapi/read-openapi';

let model: OpenApiModel | undefined;

/** The document that `/v1/openapi.json` serves, as the reference shows it. */
export function openApiModel(): OpenApiModel {
  model ??= OpenApiModel.parse(JSON.parse(openApiText().text));
  return model;
}
