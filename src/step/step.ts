import type { Response } from '../contracts/handler.js'
import type { BlazonRequest } from '../http/request.js'

/**
 * One step of a route. A step handles the request itself, or calls the step behind it and passes on what that step
 * returns: at once, or as a promise where something must be waited for. A step stops the request by returning a
 * `Refusal`, or by throwing.
 */
export type Step = (req: BlazonRequest, res: Response) => unknown

/**
 * Makes a step. Boot calls it once for each route.
 *
 * @param next The step behind the new one.
 */
export type Stage = (next: Step) => Step

/** Sends the value that the steps returned as the response, unless a response has been sent already. */
export type Settle = (value: unknown, req: BlazonRequest, res: Response) => void

/** Makes a stage whose step may send a response by itself, for example one that a later request waits for. */
export type SettlingStage = (settle: Settle) => Stage

/** A compiled route. It never throws, and it handles the rejection of every promise that it makes. */
export type RunRoute = (req: BlazonRequest, res: Response) => void

/** Takes an error of a request and sees to it that the request ends: with a response, or with a closed connection. */
export type OnError = (error: unknown, req: BlazonRequest, res: Response) => void
