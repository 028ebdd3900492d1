import express from 'express'
import { describe, expect, it } from 'vitest'
import {
  createExpressApp,
  createExpressRouter,
  expressRequest,
  expressResponse,
} from '../../../src/http/express-parts.js'

/** What can be seen of an object's own properties: names, kinds and flags. */
function shapeOf(value: object): unknown {
  return Object.entries(Object.getOwnPropertyDescriptors(value))
    .map(([name, { get, value: held, ...flags }]) => [name, typeof get, typeof held, flags])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

describe('the parts of Express that are loaded without the whole', () => {
  it('are the objects that an application gets from Express', () => {
    expect(expressRequest).toBe(express.request)
    expect(expressResponse).toBe(express.response)
  })

  it('make the application that `express()` makes', () => {
    const [own, original] = [createExpressApp(), express()]
    expect(shapeOf(own)).toEqual(shapeOf(original))
    expect(shapeOf(own.request)).toEqual(shapeOf(original.request))
    expect(shapeOf(own.response)).toEqual(shapeOf(original.response))
    expect(Object.getPrototypeOf(own.request)).toBe(express.request)
    expect(Object.getPrototypeOf(own.response)).toBe(express.response)
    expect(own.request.app).toBe(own)
    expect(own.response.app).toBe(own)
    expect(Object.keys(own.settings).sort()).toEqual(Object.keys(original.settings).sort())
  })

  it('make the router that `express.Router()` makes', () => {
    const [own, original] = [createExpressRouter(), express.Router()]
    expect(Object.keys(own)).toEqual(Object.keys(original))
    expect(Object.getPrototypeOf(Object.getPrototypeOf(own))).toBe(
      Object.getPrototypeOf(Object.getPrototypeOf(original)),
    )
  })
})
