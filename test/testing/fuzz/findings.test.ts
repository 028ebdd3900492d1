import { describe, expect, it } from 'vitest'
import { curlOf, inspectResponse, snippetOf } from '../../../src/testing/fuzz/findings.js'
import type { FuzzCase } from '../../../src/testing/fuzz/fuzz-cases.js'
import type { FuzzAllowance } from '../../../src/testing/fuzz/fuzz-options.js'

interface Answer {
  readonly kind: FuzzCase['kind']
  readonly status: number
  readonly allowed?: readonly FuzzAllowance[]
  readonly headers?: Readonly<Record<string, string>>
  readonly violation?: Error
}

/** What is wrong with a response of an application whose schemas refuse with 499. */
function findingOf({ kind, status, allowed = [], headers = {}, violation }: Answer) {
  const fuzzCase = { kind, what: 'x' } as FuzzCase
  const response = { status, headers, body: '', violation }
  return inspectResponse(fuzzCase, response, { allowed, validationStatus: 499 })?.kind
}

const violation = new Error('not as documented')

describe('the finding of fuzz()', () => {
  it.each<[Answer['kind'], string | undefined, readonly number[]]>([
    ['valid', 'server-error', [500, 503]],
    ['valid', 'stricter', [400, 413, 415, 422, 499]],
    ['valid', undefined, [200, 302, 401, 403, 404, 409]],
    ['invalid', 'server-error', [500]],
    ['invalid', 'looser', [200, 204, 302, 399]],
    ['invalid', undefined, [400, 403, 404, 499]],
    ['hidden', 'server-error', [500]],
    ['hidden', 'hidden', [200, 302, 400, 422, 499]],
    ['hidden', undefined, [403, 404]],
    ['hostile', 'server-error', [500]],
    ['hostile', undefined, [200, 400, 404]],
  ])('for a request of the kind %s is %s', (kind, expected, statuses) => {
    for (const status of statuses)
      expect([status, findingOf({ kind, status })]).toEqual([status, expected])
  })

  it('is the difference from the document if a stricter or looser validator is allowed', () => {
    for (const found of [
      { kind: 'valid', status: 400, allowed: ['stricter'] },
      { kind: 'invalid', status: 200, allowed: ['looser'] },
    ] as const) {
      expect(findingOf(found)).toBeUndefined()
      expect(findingOf({ ...found, violation })).toBe('contract')
    }
    const allowed = ['looser'] as const
    expect(findingOf({ kind: 'valid', status: 400, allowed })).toBe('stricter')
    expect(findingOf({ kind: 'hidden', status: 200, allowed })).toBe('hidden')
    expect(findingOf({ kind: 'hostile', status: 200, violation })).toBe('contract')
  })

  it('is a header that a value of the request has added, before anything else', () => {
    const headers = { 'x-fuzz-injected': '1' }
    for (const kind of ['valid', 'invalid', 'hostile'] as const)
      expect(findingOf({ kind, status: 200, headers, violation })).toBe('injection')
  })
})

describe('a request with bytes', () => {
  const body = Buffer.from(`'50%'\\\n\xe9${'x'.repeat(300)}!`, 'latin1')
  const request = { method: 'POST', target: '/a', headers: {}, without: [], body }
  const setting = { headers: new Map(), own: {}, as: undefined }

  it('is sent by printf with octal escapes, and by yes for long runs of a letter', () => {
    expect(curlOf(request, setting).split(' | curl')[0]).toBe(
      String.raw`{ printf -- '\04750%%\047\134\012\351'; yes x | head -300 | tr -d '\n'; printf -- '!'; }`,
    )
  })

  it('is sent by test code with the same bytes', () => {
    const snippet = snippetOf(request, setting, { kind: 'looser', expected: '' })
    const [, literal = ''] = /body: (Buffer.+),/.exec(snippet) ?? []
    expect(new Function(`return ${literal}`)()).toEqual(body)
    expect(snippet).toContain('toBeGreaterThanOrEqual(400)')
  })
})
