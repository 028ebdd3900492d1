import type { Class } from '../contracts/provider.js'

/** A call of a function for field routes, as compilers and bundlers write it: `post(`, `post2(`, `(0, blazon_1.post)(`. */
const CALL =
  '(?:\\(0,\\s*[\\w$]+\\.(?:get|query|post|put|patch|del)\\)|(?:[\\w$]*(?:blazon|import)[\\w$]*\\.)?(?:get|query|post|put|patch|del)(?:\\$?\\d+)?)\\s*\\(\\s*'

/** The value of a field: `add = post('/')`, `this.add = post(path)`. A method may have `const note = get(id)`, which does not begin so. */
const OF_FIELD = `(?:^|[{};\\n/])\\s*(?:this\\.|this\\[)?["'\`]?[\\w$]+["'\`\\]]*\\s*=\\s*${CALL}["'\`\\w$]`

/** The value inside of a call or an object: `__publicField(this, "add", post('/'))`, `{ value: post('/') }`. The path has no spaces. */
const INSIDE = `(?:[(,[]|\\bvalue:)\\s*${CALL}(["'\`])[^\\s"'\`]*\\1`

const MAKES_ROUTES = new RegExp(`${OF_FIELD}|${INSIDE}`)

/**
 * Whether the source text of a class seems to make routes of its fields. Only such a class is constructed when routes are
 * read, so other classes are not affected.
 */
export function makesRoutes(target: Class): boolean {
  return MAKES_ROUTES.test(Function.prototype.toString.call(target))
}
