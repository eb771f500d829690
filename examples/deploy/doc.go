// Package deploy has what runs the command on machines other than yours: a
// container file, manifests for Kubernetes, and the configuration of a balancer.
// docs/scaling.md explains them.
//
// The package has no code but tests. They build what the container file builds,
// run it on what the manifests give it, and look for each flag, path and port that
// is named. The balancer's configuration is tested in internal/interop, with nginx.
package deploy
