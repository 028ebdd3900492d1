import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from '../../../src/contracts/openapi-3-0.js'
import { curlCommand } from '../../../src/features/docs/curl-command.js'
import { listOperations } from '../../../src/features/docs/list-operations.js'
import { sampleDocument } from './sample-document.js'

const SERVER = 'http://shop.test'

function commandOf(operationId: string, document: OpenApiDocument = sampleDocument): string {
  const listed = listOperations(document)
    .flatMap(({ operations }) => operations)
    .find(({ operation }) => operation.operationId === operationId)
  if (listed === undefined) throw new Error(`No operation ${operationId}`)
  return curlCommand(listed, document, SERVER)
}

function documentWith(path: string, operation: Partial<OpenApiOperation>): OpenApiDocument {
  const post = { operationId: 'x', responses: {}, ...operation }
  return { ...sampleDocument, paths: { [path]: { post } } }
}

describe('curlCommand', () => {
  it('contains the parameters that are required or have an example', () => {
    expect(commandOf('Orders_list')).toBe("curl 'http://shop.test/orders?limit=20'")
  })

  it('fills the path, and sends token and headers', () => {
    expect(commandOf('Orders_remove')).toBe(
      [
        "curl -X DELETE 'http://shop.test/orders/3fa85f64-5717-4562-b3fc-2c963f66afa6'",
        '-H "Authorization: Bearer $TOKEN"',
        "-H 'If-Match: text'",
      ].join(' \\\n  '),
    )
  })

  it('sends files of a form', () => {
    expect(commandOf('Categories_addPictures')).toContain(
      "--form-string 'caption=text' \\\n  -F 'pictures=@file'",
    )
  })

  it('sends text that begins with `@` as text, not as a file', () => {
    const text = { type: 'string', example: '@/etc/hostname' } as const
    const withBody = (type: string, schema: OpenApiSchema) =>
      commandOf('x', documentWith('/x', { requestBody: { content: { [type]: { schema } } } }))
    expect(withBody('text/plain', text)).toContain("--data-raw '@/etc/hostname'")
    expect(
      withBody('multipart/form-data', { type: 'object', properties: { note: text } }),
    ).toContain("--form-string 'note=@/etc/hostname'")
  })

  it('ends if a schema contains itself', () => {
    expect(commandOf('Categories_replace')).toContain('{\n  "name": "text",\n  "children": []\n}')
  })

  it('writes queries in the style of their parameter', () => {
    const schema = { type: 'array', example: ['a b', 'c'] } as const
    const filter = { type: 'object', example: { state: 'open' } } as const
    const document = documentWith('/x', {
      parameters: [
        { name: 'each', in: 'query', required: true, schema },
        { name: 'joined', in: 'query', required: true, explode: false, schema },
        { name: 'filter', in: 'query', required: true, style: 'deepObject', schema: filter },
      ],
    })
    expect(commandOf('x', document)).toContain(
      '?each=a+b&each=c&joined=a+b%2Cc&filter%5Bstate%5D=open',
    )
  })

  it('is quoted so that a document cannot run commands', () => {
    const nasty = `'; touch /tmp/x; echo "$(id)" \`id\` \\ '"'"' !\n`
    const document = documentWith('/x/{id}', {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string', example: nasty } },
        { name: nasty, in: 'header', required: true, schema: { type: 'string', example: nasty } },
      ],
      requestBody: {
        content: { 'text/plain': { schema: { type: 'string', example: nasty } } },
      },
    })
    const command = commandOf('x', document).replace(/^curl/, 'printf "%s\\0"')
    const words = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\0')
    expect(words).toEqual([
      '-X',
      'POST',
      `http://shop.test/x/${encodeURIComponent(nasty)}`,
      '-H',
      `${nasty}: ${nasty}`,
      '-H',
      'Content-Type: text/plain',
      '--data-raw',
      nasty,
      '',
    ])
  })
})
