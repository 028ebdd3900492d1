import type {
  OpenApiDocument,
  OpenApiHeader,
  OpenApiPathItem,
  OpenApiResponse,
  Reference,
} from '../contracts/openapi.js'
import { operationsIn } from '../schema/path-item.js'

const NAME = 'X-Request-Id'

const headers = (): Record<string, OpenApiHeader> => ({
  [NAME]: {
    description: 'The id of the request: the same in the log and in `requestId` of an error.',
    required: true,
    schema: { type: 'string' },
  },
})

/** Documents the header that every response of the application has, as a component. */
export function withRequestIds(document: OpenApiDocument): OpenApiDocument {
  const { paths, components } = document
  if (Object.keys(paths).length === 0) return document
  const { responses } = components
  return {
    ...document,
    paths: mapValues(paths, withHeaderInPath),
    components: {
      ...components,
      ...(responses !== undefined && { responses: mapValues(responses, withHeader) }),
      headers: headers(),
    },
  }
}

function withHeaderInPath(item: OpenApiPathItem): OpenApiPathItem {
  return mapValues(operationsIn(item), (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, (response) =>
      '$ref' in response ? response : withHeader(response),
    ),
  }))
}

/** An author who describes the header himself has the last word. */
function withHeader(response: OpenApiResponse): OpenApiResponse {
  const { description, headers: own = {}, ...rest } = response
  if (Object.keys(own).some((name) => name.toLowerCase() === NAME.toLowerCase())) return response
  const added: Record<string, Reference> = { [NAME]: { $ref: `#/components/headers/${NAME}` } }
  return { description, headers: { ...added, ...own }, ...rest }
}

function mapValues<T extends object>(
  values: T,
  change: (value: NonNullable<T[keyof T]>) => NonNullable<T[keyof T]>,
): T {
  const entries = Object.entries(values).map(([name, value]) => [name, change(value)])
  // The names are the names of `values`, which `Object.fromEntries` cannot express.
  return Object.fromEntries(entries) as T
}
