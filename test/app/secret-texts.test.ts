import type { Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { secretTextsOf } from '../../src/app/secret-texts-of.js'
import { RequestSecrets } from '../../src/pipeline/request-secrets.js'

interface Parts {
  readonly headers?: Record<string, string | readonly string[]>
  readonly set?: string | readonly string[]
  readonly url?: string
}

/** What hides the secrets of a request. */
function secretsOf({ headers = {}, set, url = '/' }: Parts, place = 'authorization') {
  const places = { headers: [place], cookies: [] }
  const res = { getHeader: () => set }
  const req = { headers, res, url, originalUrl: url, method: 'GET' }
  return secretTextsOf(new RequestSecrets({}), places)(req as unknown as Request)
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

describe('the secrets of a request', () => {
  it.each<[string, Parts, string]>([
    ['a bearer token', { headers: { authorization: 'Bearer abcd1234' } }, 'abcd1234'],
    ['a token after several spaces', { headers: { authorization: 'Token   abcd' } }, 'abcd'],
    ['a whole credential without a scheme', { headers: { 'x-api-key': 'abcd' } }, 'abcd'],
    ['a credential of a proxy', { headers: { 'proxy-authorization': 'Bearer wxyz' } }, 'wxyz'],
    ['a CSRF token', { headers: { 'x-csrf-token': 'wxyz' } }, 'wxyz'],
    [
      'the encoded part of Basic',
      { headers: { authorization: basic('ann:pass') } },
      'YW5uOnBhc3M=',
    ],
    ['the plain text of Basic', { headers: { authorization: basic('ann:pass') } }, 'ann:pass'],
    ['the password of Basic', { headers: { authorization: basic('ann:pa:ss') } }, 'pa:ss'],
    [
      'a scheme in any case',
      { headers: { authorization: basic('a:pass').replace('Basic', 'bASIC') } },
      'a:pass',
    ],
    ['the second of two headers', { headers: { 'x-api-key': ['first', 'second'] } }, 'second'],
    ['a cookie of six characters', { headers: { cookie: 'a=1; b=secret' } }, 'secret'],
    ['a cookie with an equals sign', { headers: { cookie: 'a=one=two' } }, 'one=two'],
    ['a decoded cookie', { headers: { cookie: 'a=one%20two' } }, 'one two'],
    ['a cookie that cannot be decoded', { headers: { cookie: 'a=abc%E0%A4' } }, 'abc%E0%A4'],
    ['a cookie of the response', { set: ['a=first1; Path=/', 'b=second; Secure'] }, 'second'],
    ['a single cookie of the response', { set: 'a=first1; Path=/' }, 'first1'],
    ['a secret parameter', { url: '/a?page=1234&token=abcd' }, 'abcd'],
    ['the code of a login', { url: '/a?code=abcd' }, 'abcd'],
    ['the decoded value of a parameter', { url: '/a?token=ab%20cd' }, 'ab cd'],
  ])('are hidden in other texts: %s', (_, parts, secret) => {
    expect(secretsOf(parts).hideIn(`It is ${secret}.`)).toBe('It is [secret].')
  })

  it.each<[string, Parts, string]>([
    ['a credential of three characters', { headers: { authorization: 'Bearer abc' } }, 'abc'],
    ['the scheme', { headers: { authorization: 'Bearer abcd1234' } }, 'Bearer'],
    ['the user of Basic', { headers: { authorization: basic('anna:pass') } }, 'anna'],
    ['a cookie of five characters', { headers: { cookie: 'theme=light' } }, 'light'],
    ['the name of a cookie', { headers: { cookie: 'preferences=abcdef' } }, 'preferences'],
    ['the attributes of a cookie', { set: ['a=first1; Path=/accounts'] }, '/accounts'],
    ['another parameter', { url: '/a?page=1234&token=abcd' }, '1234'],
    ['another header', { headers: { 'x-reason': 'because' } }, 'because'],
  ])('do not include %s', (_, parts, text) => {
    expect(secretsOf(parts).hideIn(text)).toBe(text)
  })

  it('include the headers in which the guards of the application find credentials', () => {
    const headers = { 'x-own': 'abcd1234' }
    expect(secretsOf({ headers }, 'x-own').hideIn('abcd1234')).toBe('[secret]')
    expect(secretsOf({ headers }).hideIn('abcd1234')).toBe('abcd1234')
  })

  it('are hidden in the URL', () => {
    const headers = { authorization: 'Bearer abcd1234' }
    const { url } = secretsOf({ headers, url: '/keys/abcd1234?token=wxyz&page=2' })
    expect(url).toBe('/keys/[secret]?token=[secret]&page=2')
  })
})
