import type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiMediaType,
  OpenApiResponse,
} from '../../contracts/openapi-3-0.js'
import { curlCommand } from './curl-command.js'
import { type Html, html } from './html.js'
import type { ListedOperation } from './list-operations.js'
import { resolveReference } from './resolve-reference.js'
import { fieldMarkup, paragraphs, schemaMarkup, typeMarkup } from './schema-markup.js'

/** Renders one operation. */
export function operationMarkup(
  listed: ListedOperation,
  document: OpenApiDocument,
  server: string,
): Html {
  const { anchor, path, operation } = listed
  const { summary, description } = operation
  return html`<article class="operation" id="${anchor}">
<h3><a href="#${anchor}">${methodMarkup(listed)} <code class="path">${breakable(path)}</code></a></h3>
<p class="summary">${summary ?? null}${operation.deprecated === true ? html` <span class="mark deprecated">deprecated</span>` : null}${securityMarkup(listed)}</p>
${description === summary ? null : paragraphs(description)}
${parametersMarkup(listed)}${bodyMarkup(listed)}${responsesMarkup(listed, document)}
<h4>curl</h4>
<pre class="curl" tabindex="0"><code>${curlCommand(listed, document, server)}</code></pre>
</article>
`
}

function securityMarkup({ schemes, optionalSchemes }: ListedOperation): Html | null {
  if (schemes.length > 0) {
    return html` <span class="lock">${LOCK} needs ${schemes.join(' or ')}</span>`
  }
  if (optionalSchemes.length === 0) return null
  return html` <span class="lock">${LOCK} ${optionalSchemes.join(' or ')} is optional</span>`
}

export function methodMarkup({ method }: ListedOperation): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`
}

/** Allows line breaks before each slash of a path. */
function breakable(path: string): Html {
  return html`${path.split(/(?=\/)/).map((segment) => html`<wbr>${segment}`)}`
}

/**
 * The icon of operations that need authorisation. It is hidden from screen readers, because the text beside it has
 * the same meaning.
 */
export const LOCK: Html = html`<svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path fill="currentColor" d="M8 1a3.5 3.5 0 0 0-3.5 3.5V7H4a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1V8a1 1 0 0 0-1-1h-.5V4.5A3.5 3.5 0 0 0 8 1zm2 6H6V4.5a2 2 0 1 1 4 0z"/></svg>`

function parametersMarkup({ operation: { parameters = [] } }: ListedOperation): Html | null {
  if (parameters.length === 0) return null
  const fields = parameters.map(({ name, schema, description, ...rest }) =>
    fieldMarkup({
      name,
      schema,
      place: rest.in,
      isRequired: rest.required === true,
      description: description === schema.description ? undefined : description,
      isDeprecated: rest.deprecated === true,
    }),
  )
  return html`<h4>Parameters</h4><ul class="fields">${fields}</ul>`
}

function bodyMarkup({ operation: { requestBody: body } }: ListedOperation): Html | null {
  if (body === undefined) return null
  const mark = body.required === true ? html` <span class="mark required">required</span>` : null
  return html`<h4>Body${mark}</h4>${paragraphs(body.description)}${contentMarkup(body.content)}`
}

function responsesMarkup(
  { operation: { responses } }: ListedOperation,
  { components }: OpenApiDocument,
): Html {
  // In an object, number keys come before keys such as `2XX`. The page sorts ranges among the numbers.
  const byStatus = Object.entries(responses).sort(([a], [b]) => rank(a) - rank(b))
  const rows = byStatus.map(([status, given]) =>
    responseMarkup(
      status,
      resolveReference<OpenApiResponse>(given, components.responses),
      components,
    ),
  )
  return html`<h4>Responses</h4><div class="responses">${rows}</div>`
}

/** Ranges come before the statuses in them, and `default` comes last. */
function rank(status: string): number {
  const number = Number(status.replaceAll(/x/gi, '0'))
  return Number.isNaN(number) ? 1_000 : number
}

function responseMarkup(
  status: string,
  response: OpenApiResponse | null,
  components: OpenApiComponents,
): Html {
  const { description = '', headers = {}, content = {} } = response ?? {}
  const head = html`<code class="status s${status.charAt(0)}">${status}</code> <span>${description}</span>`
  const fields = Object.entries(headers).flatMap(([name, given]) => {
    const header = resolveReference<OpenApiHeader>(given, components.headers)
    if (header === null) return []
    const { schema, description } = header
    return [fieldMarkup({ name, schema, isRequired: false, description })]
  })
  if (fields.length === 0 && Object.keys(content).length === 0) {
    return html`<p class="response">${head}</p>`
  }
  const headersMarkup =
    fields.length > 0 ? html`<p class="label">Headers</p><ul class="fields">${fields}</ul>` : null
  return html`<details class="response"><summary>${head}</summary><div class="content">${headersMarkup}${contentMarkup(content)}</div></details>`
}

function contentMarkup(content: Readonly<Record<string, OpenApiMediaType>>): Html {
  const parts = Object.entries(content).map(
    ([type, { schema, example }]) =>
      html`<div class="media"><p class="label"><code>${type}</code> <span class="type">${typeMarkup(schema)}</span></p>${schemaMarkup(schema)}${
        example === undefined
          ? null
          : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`
      }</div>`,
  )
  return html`${parts}`
}
