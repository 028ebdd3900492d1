import type { RequestUser } from './handler.js'

/** The user about whom a rule decides. With `anonymous`, a rule can also receive `undefined`. */
export type PolicyUser = NonNullable<RequestUser>

/**
 * Decides whether a user is allowed to perform an action on an object. Only the value `true`, or a promise of `true`,
 * allows the action.
 *
 * @example
 * const read: PolicyRule<Order> = (user, order) => order.ownerId === user.id
 */
export type PolicyRule<TObject, TUser = PolicyUser> = (
  user: TUser,
  object: TObject,
) => boolean | Promise<boolean>

/** The rules of a policy, by the names of their actions. An action without a rule is never allowed. */
export type PolicyRules<TObject, TAction extends string, TUser = PolicyUser> = {
  readonly [A in TAction]: PolicyRule<TObject, TUser>
}

/** Options of `policy`. */
export interface PolicyOptions {
  /**
   * Whether the rules also decide about requests without a user: their first argument can then be `undefined`. Default
   * `false`: nothing is allowed without a user, and no rule is called.
   */
  readonly anonymous?: boolean
}

/** The members of a request that a policy reads. The request of a handler or a middleware has them. */
export interface PolicyRequest {
  /** The user, set by the guard. */
  readonly user?: RequestUser
  /** The matched route. */
  readonly route?: unknown
}

type Maybe<T> = T | null | undefined

/**
 * The rules about one kind of object, in one place. On a route, every use of a policy must be declared with `@Checks`.
 * The methods do not use `this`.
 */
export interface Policy<TObject = unknown, TAction extends string = string> {
  /** The name in abilities: `order` in `order:read`. */
  readonly name: string
  /** The actions that have a rule. */
  readonly actions: readonly TAction[]
  /** Whether the rules also decide about requests without a user; see {@link PolicyOptions.anonymous}. */
  readonly allowsAnonymous: boolean
  /** Whether a refusal results in a 404 response, as if the object did not exist; see {@link Policy.or404}. */
  readonly isHidden: boolean
  /**
   * Loads an object, and throws unless the user of the request is allowed to perform the action on it.
   *
   * @param find Returns the object or its promise; `null` or `undefined` if there is none.
   * @returns The object.
   * @throws NotFoundError (404) if there is no object; ForbiddenError (403), or the same NotFoundError under `or404`,
   * if the rule does not allow it; Error (500) if the rule throws, or `@Checks` does not declare the action.
   */
  load<T extends TObject>(
    req: PolicyRequest,
    action: TAction,
    find: () => Maybe<T> | PromiseLike<Maybe<T>>,
  ): Promise<T>
  /**
   * Like `load`, for an object that was already loaded.
   *
   * @returns The object.
   * @throws As `load`.
   */
  check<T extends TObject>(req: PolicyRequest, action: TAction, object: Maybe<T>): Promise<T>
  /**
   * Returns whether the user of the request is allowed to perform the action. Use it for parts of a response, such as
   * links.
   *
   * @throws Error (500) if the rule throws, or `@Checks` does not declare the action.
   */
  can(req: PolicyRequest, action: TAction, object: Maybe<TObject>): Promise<boolean>
  /**
   * Returns only the objects of a list for which the rule allows the user of the request to perform the action.
   *
   * @throws As `can`.
   */
  filter<T extends TObject>(req: PolicyRequest, action: TAction, objects: Iterable<T>): Promise<T[]>
  /**
   * Returns whether a user is allowed to perform the action, without a request: for jobs and for tests.
   *
   * @throws Error if the rule throws.
   */
  allows(user: RequestUser | undefined, action: TAction, object: Maybe<TObject>): Promise<boolean>
  /** Returns the same policy, except that a refusal results in a 404 response, as if the object did not exist. */
  or404(): Policy<TObject, TAction>
}

/** A policy for any type of object. */
// biome-ignore lint/suspicious/noExplicitAny: a list of policies has many types of objects
export type AnyPolicy = Policy<any, string>

/** One `@Checks` decorator: the handler must check at least one of the actions before it sends a success response. */
export interface CheckModel {
  /** The policy. */
  readonly policy: AnyPolicy
  /** The actions. The policy has a rule for each action. */
  readonly actions: readonly string[]
}
