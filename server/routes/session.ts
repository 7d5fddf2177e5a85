import { Session } from '../schemas/dashboard.ts'
import { empty, route, sent } from './route.ts'

const path = '/session'
const role = 'self'

/** Sessions of the dashboard: who is signed in, signing in by X-AUTH-TOKEN or X-SIGN-IN-CODE, signing out. */
export const SESSION_ROUTES = {
  getSession: route({ method: 'get', path, role, answers: { 200: sent('Who is signed in', Session) } }),
  beginSession: route({ method: 'post', path, role, answers: { 201: sent('Signed in', Session) } }),
  endSession: route({ method: 'delete', path, role, answers: { 204: empty('Signed out') } }),
}
