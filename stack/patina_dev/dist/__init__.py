"""What `make dist` builds: the manual page, the Debian packages, their bill of materials."""
