"""The script language of designs: extract, check, build (in a sandbox), and the runtime of their nodes."""
