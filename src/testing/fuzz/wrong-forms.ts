import type { FileRule } from '../../contracts/inputs.js'
import { beginningOf } from '../../features/uploads/signatures.js'
import type { FormParts } from './body-types.js'
import { type CaseSource, isReadable } from './case-source.js'
import { sampleFile } from './form-values.js'
import { MALFORMED_PARTS } from './hostile-values.js'
import type { RawParts, RequestParts, WrongRequest } from './wire-request.js'
import {
  type FormFile,
  type FormValue,
  formOf,
  isFormFile,
  partOf,
  writeForm,
} from './write-form.js'

/** The maximum size of files that are sent to exceed a limit. Larger files would need too much memory. */
const LARGEST = 16 * 1024 * 1024

/** The error in a form, and the form. */
type Wrong = readonly [what: string, value: () => FormValue]

/** Lists forms that differ from a valid form in one place, so that `@Upload` rejects them. */
export function wrongForms(
  source: CaseSource,
  form: FormParts,
  parts: RequestParts,
): WrongRequest[] {
  const { write } = source
  const valid = parts.body as FormValue
  const values = [...wrongFields(source, form, valid), ...wrongFiles(form, valid)]
  return [
    ...values.map(([what, value]) =>
      lazily(`body ${what}`, () => write({ ...parts, body: value() })),
    ),
    ...wrongTexts(valid).map(([what, raw]) => lazily(what, () => write(parts, raw()))),
  ]
}

/** Creates a form only when it is sent, because forms can be large and only one of them is sent. */
function lazily(what: string, make: () => WrongRequest['request']): WrongRequest {
  return {
    what,
    get request() {
      return make()
    },
  }
}

function wrongFields({ accepts }: CaseSource, { fields }: FormParts, valid: FormValue): Wrong[] {
  const { properties = {}, required = [] } = fields
  return Object.entries(properties).flatMap(([name, schema]): Wrong[] => [
    ...(required.includes(name) ? [[`${name}: missing`, () => without(valid, name)] as const] : []),
    [`${name}: a file`, () => ({ ...valid, [name]: TEXT_FILE })],
    ...['x', '-1', '', 'x'.repeat(10_000)]
      .filter((text) => !isReadable({ schema }, text, accepts))
      .map((text): Wrong => {
        const shown = text.length > 20 ? `${text.length} characters` : JSON.stringify(text)
        return [`${name}: ${shown}`, () => ({ ...valid, [name]: text })]
      }),
  ])
}

const TEXT_FILE: FormFile = { fileName: 'a.txt', type: 'text/plain', content: 'text' }

function wrongFiles({ files }: FormParts, valid: FormValue): Wrong[] {
  return [
    ...Object.entries(files).flatMap(([name, rule]) => wrongFile(name, rule, valid)),
    ['x-fuzz-unknown: a file', () => ({ ...valid, 'x-fuzz-unknown': TEXT_FILE })],
  ]
}

function wrongFile(name: string, rule: FileRule, valid: FormValue): Wrong[] {
  const { isOptional, max, maxBytes, types } = rule
  const put = (value: unknown): FormValue => ({ ...valid, [name]: value })
  const wrong: Wrong[] = [[`${name}: text`, () => put('text')]]
  if (!isOptional) wrong.push([`${name}: missing`, () => without(valid, name)])
  const [own] = [valid[name] ?? sampleFile(rule)].flat()
  if (!isFormFile(own)) return wrong
  wrong.push([`${name}: ${max + 1} files`, () => put(Array.from({ length: max + 1 }, () => own))])
  if (maxBytes <= LARGEST) {
    const large = () => put({ ...own, content: own.content.padEnd(maxBytes + 1, 'x') })
    wrong.push([`${name}: ${maxBytes + 1} bytes`, large])
  }
  if (types === null) return wrong
  const others = ['application/x-fuzz', 'x-fuzz/x-fuzz'].filter((type) => !isAccepted(type, types))
  wrong.push(
    ...others.map((type): Wrong => [`${name}: the type ${type}`, () => put({ ...own, type })]),
  )
  if (beginningOf(own.type).length > 0) {
    wrong.push([
      `${name}: bytes of another type`,
      () => put({ ...own, content: '<!doctype html>' }),
    ])
    wrong.push([`${name}: no bytes`, () => put({ ...own, content: '' })])
  }
  return wrong
}

function isAccepted(type: string, types: readonly string[]): boolean {
  const range = type.replace(/\/.*$/, '/*')
  return [type, range, '*/*'].some((each) => types.includes(each))
}

/** Bodies that are not a form, or not the expected form. */
function wrongTexts(valid: FormValue): (readonly [what: string, raw: () => RawParts])[] {
  const whole = Object.entries(valid).flatMap(([name, value]) =>
    [value].flat().map((each) => partOf(name, each)),
  )
  return [
    ...MALFORMED_PARTS.map(
      (part) =>
        [
          `body: the part ${JSON.stringify(part)}`,
          () => ({ body: formOf([...whole, part]) }),
        ] as const,
    ),
    ['body: no last boundary', () => ({ body: formOf(whole, '') })],
    ['body: empty', () => ({ body: '' })],
    ['body: JSON', () => ({ body: '{}', type: 'application/json' })],
    ['body: another boundary', () => ({ type: 'multipart/form-data; boundary=other' })],
    ['body: no boundary', () => ({ type: 'multipart/form-data' })],
    [
      'body: compressed',
      () => ({ body: writeForm(valid), header: { 'content-encoding': 'gzip' } }),
    ],
  ]
}

function without(valid: FormValue, name: string): FormValue {
  return Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name))
}
