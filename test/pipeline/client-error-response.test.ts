import type { ErrorFormat } from 'blazon'
import { describe, expect, it } from 'vitest'
import { clientErrorResponse } from '../../src/pipeline/fail.js'

const reasons: unknown[][] = []
const onFault = (...args: unknown[]) => void reasons.push(args)

const own: ErrorFormat = {
  mediaType: 'application/vnd.own+json',
  format: ({ status, code, requestId }) => ({ status, code, requestId, text: 'é' }),
  schema: { type: 'object' },
}

/** The response to an error of Node's parser: its lines and its body. */
function responseTo(
  code: string | undefined,
  { wire = 'negotiated', requestId }: Partial<Parameters<typeof clientErrorResponse>[1]> = {},
) {
  reasons.length = 0
  const error = Object.assign(new Error('secret'), code === undefined ? {} : { code })
  const text = clientErrorResponse(error, { wire, onFault, requestId })
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { lines: head.split('\r\n'), body, json: JSON.parse(body) }
}

describe('the response to input that Node cannot parse', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413, 'Payload Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout'],
    ['HPE_INVALID_METHOD', 400, 'Bad Request'],
    [undefined, 400, 'Bad Request'],
  ])('has the same status as the response of Node: %s', (code, status, title) => {
    const { lines, body, json } = responseTo(code)
    expect(lines).toEqual([
      `HTTP/1.1 ${status} ${title}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ])
    expect(json).toEqual({
      statusCode: 'error',
      status,
      message: title,
      code: title.toUpperCase().replaceAll(' ', '_'),
    })
  })

  it('is a problem document if the application uses this format', () => {
    const { lines, json } = responseTo('HPE_HEADER_OVERFLOW', { wire: 'problem' })
    expect(lines[1]).toBe('Content-Type: application/problem+json; charset=utf-8')
    expect(json).toMatchObject({ type: 'about:blank', status: 431 })
  })

  it('contains the request ID in a header and in the body', () => {
    for (const wire of ['negotiated', 'problem', own] as const) {
      const { lines, json } = responseTo(undefined, { wire, requestId: 'r-1' })
      expect(lines).toContain('X-Request-Id: r-1')
      expect(json.requestId).toBe('r-1')
    }
  })

  it('has the custom format of the application, and a Content-Length in bytes', () => {
    const { lines, body, json } = responseTo('HPE_INVALID_METHOD', { wire: own })
    expect(json).toEqual({ status: 400, code: 'BAD_REQUEST', text: 'é' })
    expect(lines[1]).toBe('Content-Type: application/vnd.own+json')
    expect(lines[2]).toBe(`Content-Length: ${body.length + 1}`)
    expect(reasons).toEqual([])
  })

  it('has the default format if the custom format throws', () => {
    const reason = new Error('no format')
    const broken: ErrorFormat = {
      ...own,
      format: () => {
        throw reason
      },
    }
    const { lines, json } = responseTo('ERR_HTTP_REQUEST_TIMEOUT', { wire: broken })
    expect(lines[1]).toBe('Content-Type: application/json; charset=utf-8')
    expect(json).toMatchObject({ statusCode: 'error', status: 408 })
    expect(reasons).toEqual([[reason, 408, undefined]])
  })
})
