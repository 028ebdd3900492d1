import type { BlazonRequest } from './request.js'

type Resume = (goOn: () => void) => void

/** How requests go on that have failed, where that is not as they are; `null` where they do not. */
const resumes = new WeakMap<BlazonRequest, Resume | null>()

/** Says how a request goes on, if an error middleware lets it: as it came to the place that has failed. */
export function noteResume(req: BlazonRequest, resume: Resume): void {
  resumes.set(req, resume)
}

/** Says that it is the framework that has refused a request: no error middleware lets it go on. */
export function noteRefusal(req: BlazonRequest): void {
  resumes.set(req, null)
}

/** Whether the framework has refused a request in a place that was a middleware's. */
export function isRefused(req: BlazonRequest): boolean {
  return resumes.get(req) === null
}

/** Lets a request that has failed go on. */
export function resumeAsBefore(req: BlazonRequest, goOn: () => void): void {
  const resume = resumes.get(req)
  resumes.delete(req)
  if (resume == null) goOn()
  else resume(goOn)
}
